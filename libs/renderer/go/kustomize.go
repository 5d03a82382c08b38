package main

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// KustomizeRequest names the folder whose kustomization is built.
type KustomizeRequest struct {
	Folder string `json:"folder"`
}

func renderKustomize(files []File, request KustomizeRequest) (Answer, error) {
	disk := filesys.MakeFsInMemory()
	for _, file := range files {
		if err := disk.WriteFile("/"+file.Path, file.bytes()); err != nil {
			return Answer{}, err
		}
	}
	folder := path.Join("/", request.Folder)
	wanted, err := askForOrigins(disk, folder)
	if err != nil {
		return Answer{}, err
	}
	// As `kustomize build` has them: plugins are off, files outside of a kustomization's own folder are refused, and
	// the kustomization decides over the order.
	options := krusty.MakeDefaultOptions()
	options.Reorder = krusty.ReorderOptionUnspecified
	built, err := krusty.MakeKustomizer(options).Run(disk, folder)
	if err != nil {
		return Answer{}, err
	}
	objects, err := originsOf(built, folder, wanted)
	return Answer{Objects: objects}, err
}

// askForOrigins makes the kustomization note where each resource is from; it answers whether the user asked for that.
func askForOrigins(disk filesys.FileSystem, folder string) (bool, error) {
	for _, name := range []string{"kustomization.yaml", "kustomization.yml", "Kustomization"} {
		file := path.Join(folder, name)
		if !disk.Exists(file) {
			continue
		}
		content, err := disk.ReadFile(file)
		if err != nil {
			return false, err
		}
		return addOrigins(disk, file, content)
	}
	return false, fmt.Errorf("there is no kustomization file in %s", strings.TrimPrefix(folder, "/"))
}

func addOrigins(disk filesys.FileSystem, file string, content []byte) (bool, error) {
	var fields struct {
		BuildMetadata []string `json:"buildMetadata"`
	}
	if err := yaml.Unmarshal(content, &fields); err != nil {
		// Kustomize itself says better what is wrong with it.
		return true, nil
	}
	if slices.Contains(fields.BuildMetadata, types.OriginAnnotations) {
		return true, nil
	}
	var whole map[string]any
	if err := yaml.Unmarshal(content, &whole); err != nil || whole == nil {
		return true, nil
	}
	whole["buildMetadata"] = append(fields.BuildMetadata, types.OriginAnnotations)
	changed, err := yaml.Marshal(whole)
	if err != nil {
		return false, err
	}
	return false, disk.WriteFile(file, changed)
}

func originsOf(built resmap.ResMap, folder string, wanted bool) ([]Object, error) {
	sources := make([]Object, 0, built.Size())
	for _, r := range built.Resources() {
		source, err := sourceOf(r, folder)
		if err != nil {
			return nil, err
		}
		sources = append(sources, source)
	}
	if !wanted {
		if err := built.RemoveOriginAnnotations(); err != nil {
			return nil, err
		}
	}
	for i, r := range built.Resources() {
		encoded, err := r.MarshalJSON()
		if err != nil {
			return nil, err
		}
		sources[i].Object = encoded
	}
	return sources, nil
}

func sourceOf(r *resource.Resource, folder string) (Object, error) {
	origin, err := r.GetOrigin()
	if err != nil || origin == nil {
		return Object{}, err
	}
	if origin.ConfiguredIn != "" {
		return Object{File: inside(folder, origin.ConfiguredIn), Generated: true}, nil
	}
	return Object{File: inside(folder, origin.Path)}, nil
}

func inside(folder, relative string) string {
	return strings.TrimPrefix(path.Join(folder, relative), "/")
}
