"""The person's data as a whole: out into one file, in again, thinned out, handed on."""
