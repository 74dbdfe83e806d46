"""What every room needs and that knows nothing of bias: files, tables, figures' style, seeds."""
