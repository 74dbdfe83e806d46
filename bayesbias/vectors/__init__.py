"""Any file, mapping or encoder becomes gensim ``KeyedVectors``; words are looked up in them."""
