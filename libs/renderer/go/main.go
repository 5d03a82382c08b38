// The renderer: Kustomize's and Helm's own engines as one WebAssembly module without a file system, network, processes,
// or a clock that moves. The host writes a request as JSON to what `allocate` gives, calls `render`, and reads as many
// bytes as that returns at `answer`.
package main

import (
	"encoding/json"
	"fmt"
	"unsafe"
)

// Request asks for one rendering.
type Request struct {
	// Files by path from the root of the input, with `/`.
	Files []File `json:"files"`
	// One of the two.
	Kustomize *KustomizeRequest `json:"kustomize"`
	Helm      *HelmRequest      `json:"helm"`
}

// File is a text, or bytes in base64.
type File struct {
	Path   string `json:"path"`
	Text   string `json:"text"`
	Base64 []byte `json:"base64"`
}

// Object is a rendered object and where it is from.
type Object struct {
	Object json.RawMessage `json:"object"`
	// The file that it was in before it was transformed, or the template, or the kustomization whose generator made it.
	File      string `json:"file"`
	Generated bool   `json:"generated"`
}

// Skipped is something that the chart has and a rendering leaves out.
type Skipped struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	File string `json:"file"`
	// `hook`, `test` or `definition` (of custom resources).
	What string `json:"what"`
}

// Answer holds what was rendered, or why not.
type Answer struct {
	Objects []Object  `json:"objects"`
	Skipped []Skipped `json:"skipped"`
	// The values that won over all files, nested.
	Set   map[string]any `json:"set"`
	Error string         `json:"error"`
}

func main() {}

var input, output []byte

//go:wasmexport allocate
func allocate(size uint32) unsafe.Pointer {
	input = make([]byte, size)
	return unsafe.Pointer(unsafe.SliceData(input))
}

//go:wasmexport render
func render() uint32 {
	result := respond(input)
	input = nil
	encoded, err := json.Marshal(result)
	if err != nil {
		encoded, _ = json.Marshal(Answer{Error: err.Error()})
	}
	output = encoded
	return uint32(len(output))
}

//go:wasmexport answer
func answer() unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(output))
}

func respond(body []byte) (result Answer) {
	defer func() {
		if thrown := recover(); thrown != nil {
			result = Answer{Error: fmt.Sprintf("the renderer failed: %v", thrown)}
		}
	}()
	var request Request
	if err := json.Unmarshal(body, &request); err != nil {
		return Answer{Error: err.Error()}
	}
	result, err := dispatch(request)
	if err != nil {
		return Answer{Error: err.Error()}
	}
	return result
}

func dispatch(request Request) (Answer, error) {
	switch {
	case request.Kustomize != nil:
		return renderKustomize(request.Files, *request.Kustomize)
	case request.Helm != nil:
		return renderHelm(request.Files, *request.Helm)
	}
	return Answer{}, fmt.Errorf("the request asks for nothing")
}

// bytes of a file.
func (f File) bytes() []byte {
	if f.Base64 != nil {
		return f.Base64
	}
	return []byte(f.Text)
}
