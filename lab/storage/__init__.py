"""Cloud Storage in the lab: an API that answers as Google's does, and the buckets that the stand-in for Google's API has made."""
