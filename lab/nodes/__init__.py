"""The nodes of the lab: made from the stand-in's node pools, resized as GKE's autoscaler does, taken away as Google takes them."""
