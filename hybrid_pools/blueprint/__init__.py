"""The model: vocabulary, catalogue of facts, configuration, derivation, output contract. Pure; reads only its own data files.

Nothing is imported here: the policy pack needs the vocabulary alone and starts at every preview.
"""
