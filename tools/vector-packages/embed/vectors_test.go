package vectors

import (
	"encoding/json"
	"testing"
)

func TestTheIndexNamesThem(t *testing.T) {
	var index struct {
		Cases int
		Files []struct {
			File  string
			Cases int
		}
	}
	read(t, "index.json", &index)
	count := 0
	for _, row := range index.Files {
		var file struct{ Cases []json.RawMessage }
		read(t, row.File, &file)
		count += len(file.Cases)
	}
	if count == 0 || count != index.Cases {
		t.Fatalf("%d cases, and %d in the index", count, index.Cases)
	}
}

func read(t *testing.T, name string, value any) {
	text, err := Files.ReadFile("data/" + name)
	if err == nil {
		err = json.Unmarshal(text, value)
	}
	if err != nil {
		t.Fatal(err)
	}
}
