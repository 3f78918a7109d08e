"""Domains that are not boxes: primitives, their combinations, products, surface meshes.

Knows geometry only: which points lie inside, exact boundaries with outward normals, quadrature.
Must not know equations or how they are solved. A shape is a tree of primitives; its boundary
consists of those pieces of the primitives' boundaries that separate its inside from its outside, so
the boundary and the normals of a disk stay those of a disk in whatever it is combined.
"""
