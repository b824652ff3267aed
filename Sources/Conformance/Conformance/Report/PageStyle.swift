extension HTMLPage {
    /// The style sheet of all pages: light and dark as the reader's system is, plain on paper.
    static let style: HTML = """
        :root {
          color-scheme: light dark;
          --page: #ffffff; --ink: #1b2129; --muted: #55606d; --line: #d5dbe2; --panel: #f5f7f9; --link: #0b57b0;
          --held: #1a6b34; --held-fill: #dff5e5; --spirit: #0e616e; --spirit-fill: #dbf3f6;
          --deviates: #7a4b00; --deviates-fill: #ffefc9; --fails: #9c1228; --fails-fill: #ffe1e4;
          --inconclusive: #5c3793; --inconclusive-fill: #eee6fb; --observed: #27508a; --observed-fill: #e1ecfb;
          --skipped: #545e69; --skipped-fill: #eaeef2;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --page: #11161c; --ink: #e3e8ee; --muted: #9fabb8; --line: #313a44; --panel: #1a2028; --link: #82b8ff;
            --held: #7fd698; --held-fill: #143020; --spirit: #76d3df; --spirit-fill: #10313a;
            --deviates: #f2c464; --deviates-fill: #3a2c0b; --fails: #ff9aa5; --fails-fill: #451820;
            --inconclusive: #cbb0f7; --inconclusive-fill: #2e2246; --observed: #9cc5fb; --observed-fill: #172a45;
            --skipped: #a9b4bf; --skipped-fill: #262d35;
          }
        }
        * { box-sizing: border-box; }
        html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
        body {
          margin: 0; background: var(--page); color: var(--ink); overflow-wrap: break-word;
          font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif;
        }
        header, nav, main, footer { max-width: 66rem; margin: 0 auto; padding: 0 1.25rem; }
        header { padding-top: 2.25rem; }
        main { padding-bottom: 2rem; }
        footer { border-top: 1px solid var(--line); padding-top: 1rem; padding-bottom: 2.5rem; color: var(--muted);
          font-size: .875rem; }
        h1 { font-size: 1.9rem; line-height: 1.2; margin: .15rem 0 .5rem; letter-spacing: -.01em; }
        h2 { font-size: 1.3rem; line-height: 1.3; margin: 2.75rem 0 .75rem; padding-bottom: .3rem;
          border-bottom: 1px solid var(--line); }
        h3 { font-size: 1.05rem; line-height: 1.4; margin: 1.75rem 0 .5rem; }
        p { margin: .5rem 0; max-width: 46rem; }
        a { color: var(--link); text-underline-offset: .15em; }
        :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
        .skip { position: absolute; left: -100rem; background: var(--page); padding: .5rem 1rem; z-index: 1; }
        .skip:focus { left: 1rem; top: .5rem; }
        .kicker { color: var(--muted); margin: 0; font-size: .95rem; }
        .lead { font-size: 1.1rem; max-width: 46rem; }
        .notice { border: 1px solid var(--fails); border-left-width: .4rem; background: var(--fails-fill);
          padding: .6rem 1rem; border-radius: .3rem; }
        nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; margin: 1rem 0 0; padding: 0; }
        code, pre, .id { font-family: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace;
          font-size: .875em; }
        .id { overflow-wrap: anywhere; }
        pre { background: var(--panel); border: 1px solid var(--line); border-radius: .3rem; padding: .6rem .8rem;
          margin: .25rem 0; white-space: pre-wrap; overflow-wrap: anywhere; overflow: hidden; unicode-bidi: isolate; }
        dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .35rem 1.25rem;
          margin: .5rem 0; }
        dt { color: var(--muted); }
        dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
        table { border-collapse: collapse; width: 100%; margin: .5rem 0 1rem; font-size: .95rem; }
        caption { text-align: left; color: var(--muted); font-size: .875rem; padding: .25rem 0; }
        th, td { text-align: left; vertical-align: top; padding: .4rem .7rem .4rem 0;
          border-bottom: 1px solid var(--line); }
        th { font-weight: 600; }
        thead th { font-size: .85rem; color: var(--muted); }
        .number { text-align: right; font-variant-numeric: tabular-nums; }
        .zero { color: var(--muted); }
        .scroll { overflow-x: auto; }
        .rules { table-layout: fixed; }
        .rules th:first-child { width: 7.5rem; }
        .rules th:last-child { width: 9.5rem; }
        .rules tbody th { font-weight: 400; white-space: nowrap; }
        .matrix td, .matrix th { padding-right: .8rem; }
        .matrix summary, .matrix .id { white-space: nowrap; overflow-wrap: normal; }
        .matrix details { font-weight: 400; max-width: 24rem; }
        th .part { display: block; font-weight: 400; white-space: normal; }
        td time { white-space: nowrap; }
        .wide { min-width: 18rem; }
        .matrix tbody th[scope=rowgroup] { padding-top: 1.4rem; font-size: 1.05rem; }
        .chip { display: inline-block; white-space: nowrap; border-radius: .9rem; padding: .02rem .6rem;
          font-size: .85rem; line-height: 1.5; border: 1px solid transparent; }
        .held { color: var(--held); background: var(--held-fill); }
        .spirit { color: var(--spirit); background: var(--spirit-fill); }
        .deviates { color: var(--deviates); background: var(--deviates-fill); }
        .fails { color: var(--fails); background: var(--fails-fill); font-weight: 600; }
        .inconclusive { color: var(--inconclusive); background: var(--inconclusive-fill); }
        .observed { color: var(--observed); background: var(--observed-fill); }
        .skipped { color: var(--skipped); background: var(--skipped-fill); }
        .share { display: flex; gap: 2px; height: 1.1rem; border-radius: .3rem; overflow: hidden; margin: 1rem 0; }
        .share span { min-width: 4px; background: currentColor; }
        .part { color: var(--muted); font-size: .85rem; white-space: nowrap; }
        summary { cursor: pointer; color: var(--muted); font-size: .875rem; width: fit-content; }
        .cases { list-style: none; margin: .35rem 0 .25rem; padding: 0; font-size: .875rem; }
        .cases li { padding: .35rem 0 .35rem .7rem; border-left: 2px solid var(--line); margin-bottom: .35rem; }
        .says { color: var(--muted); }
        .finding { border: 1px solid var(--line); border-radius: .4rem; padding: .2rem 1.1rem .8rem; margin: 1rem 0; }
        .finding h3 { margin: .8rem 0 .5rem; display: flex; flex-wrap: wrap; gap: .3rem .8rem; align-items: baseline; }
        .transcript td { font-size: .85rem; }
        .transcript tr > :not(:last-child) { white-space: nowrap; overflow-wrap: normal; }
        @media (max-width: 40rem) {
          header { padding-top: 1.25rem; }
          h1 { font-size: 1.5rem; }
          dl { display: block; }
          dt { margin-top: .6rem; }
          .finding { padding: .1rem .8rem .6rem; }
          .rules, .transcript, :is(.rules, .transcript) :is(caption, thead, tbody) { display: block; }
          .rules tr, .transcript tr { display: grid; padding: .3rem 0; border-bottom: 1px solid var(--line); }
          :is(.rules, .transcript) :is(th, td) { border: 0; padding-top: 0; padding-bottom: 0; }
          .rules tr { grid-template-columns: 1fr max-content; }
          .rules :is(th, td):nth-child(2) { grid-area: 2 / 1 / auto / -1; }
          .rules th:is(:first-child, :last-child) { width: auto; }
          #summary table { font-size: .875rem; }
          #summary th, #summary td { padding-right: .25rem; }
          #summary thead .chip { writing-mode: vertical-rl; padding: .5rem 0; }
          .transcript tr { grid-template-columns: 5rem 5.5rem 1fr; }
          .transcript :is(th, td):last-child { grid-column: 1 / -1; }
          .transcript .number { text-align: left; }
        }
        @media print {
          :root {
            color-scheme: light;
            --page: #ffffff; --ink: #000000; --muted: #444444; --line: #bbbbbb; --panel: #ffffff; --link: #000000;
            --held: #0f4d22; --spirit: #0a4751; --deviates: #5f3a00; --fails: #86001a; --inconclusive: #44246f;
            --observed: #173a68; --skipped: #3c444c;
            --held-fill: #fff; --spirit-fill: #fff; --deviates-fill: #fff; --fails-fill: #fff;
            --inconclusive-fill: #fff; --observed-fill: #fff; --skipped-fill: #fff;
          }
          @page { margin: 16mm 14mm; }
          body { font-size: 9.5pt; }
          header, nav, main, footer { max-width: none; padding-left: 0; padding-right: 0; }
          nav, .skip { display: none; }
          .chip { border-color: currentColor; }
          .share { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
          h2, h3, summary, caption { break-after: avoid; }
          tr, dt, .chip { break-inside: avoid; }
          .scroll, pre { overflow: visible; }
          .finding details::details-content { content-visibility: visible; display: block; height: auto; }
          .finding summary { list-style: none; }
          a { text-decoration: none; }
        }

        """
}
