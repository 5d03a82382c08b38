// A stand-in for k8s.io/client-go. Helm's engine links the real one for `lookup` and for the list of API versions; the
// first has no cluster to ask here, and of the second the names are enough. It saves 50 MB of WebAssembly.
module k8s.io/client-go

go 1.26.0

require k8s.io/apimachinery v0.37.2
