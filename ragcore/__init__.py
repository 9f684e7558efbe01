"""ragcore: giving a language model the right information, one idea a module."""
