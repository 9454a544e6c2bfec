// Pulumi's Kubernetes provider for machines that cannot fetch the released one.
//
// The released program embeds a generated schema. Create, update, delete and refresh need none of it, so this one says only
// its name and version.
package main

import (
	"fmt"

	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/provider"
	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/version"
)

func main() {
	schema := fmt.Sprintf(`{"name": "kubernetes", "version": %q}`, version.Version)
	provider.Serve("kubernetes", version.Version, []byte(schema), []byte("{}"))
}
