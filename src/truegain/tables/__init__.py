"""Files and frames in, checked and aligned tables out."""
