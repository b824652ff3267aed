//! What shims in Rust share: JSON lines on standard input and output, and P-256 keys that are given, by OpenSSL.
use openssl::{bn::{BigNum, BigNumContext}, ec::{EcGroup, EcKey, EcPoint}, nid::Nid, pkey::Private};
use serde_json::{json, Value};
use std::{cell::{Cell, RefCell}, io::BufRead};

thread_local! {
    pub static NEXT: RefCell<Option<EcKey<Private>>> = const { RefCell::new(None) };
    pub static LAST: Cell<[u8; 32]> = const { Cell::new([0; 32]) };
}
/// The key that is to be drawn next, once.
pub fn next() -> Option<EcKey<Private>> { NEXT.take() }
/// Keeps the last hash.
pub fn note(hash: [u8; 32]) { LAST.set(hash) }

pub fn no<E: std::fmt::Debug>(error: E) -> String { format!("{error:?}") }
pub fn array<const N: usize>(bytes: Vec<u8>) -> Result<[u8; N], String> { bytes.try_into().map_err(no) }
pub fn private(scalar: &[u8]) -> EcKey<Private> {
    let (group, number) = (EcGroup::from_curve_name(Nid::X9_62_PRIME256V1).unwrap(), BigNum::from_slice(scalar).unwrap());
    let mut point = EcPoint::new(&group).unwrap();
    point.mul_generator(&group, &number, &BigNumContext::new().unwrap()).unwrap();
    EcKey::from_private_components(&group, &number, &point).unwrap()
}

/// Answers each operation with what `run` makes of its input. A panic ends the process, as it ends theirs.
pub fn serve(name: &str, operations: &[&str], run: impl Fn(&str, &Value) -> Result<Value, String>) {
    println!("{}", json!({"type": "hello", "shim": 1, "name": name, "operations": operations}));
    for line in std::io::stdin().lock().lines() {
        let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
        println!("{}", match run(line["operation"].as_str().unwrap(), &line["input"]) {
            Ok(output) => json!({"type": "result", "output": output}),
            Err(reason) => json!({"type": "error", "reason": reason}),
        });
    }
}
