"""What people see: plain text in columns, coloured only on a terminal."""
