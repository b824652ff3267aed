// Package vectors has the test vectors of the FIDO hybrid transport, as JSON. README.md says what the cases are.
package vectors

import "embed"

// Files has data/index.json, which names the files with cases, those, data/rules.json, and data/kinds.json with the kinds of their fields.
//
//go:embed data
var Files embed.FS
