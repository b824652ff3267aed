module hybrid-transport-vectors

go 1.19
