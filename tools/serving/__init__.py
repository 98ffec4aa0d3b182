"""What serving decisions cost: speculation, sampling, parallel layouts, experts, step gaps."""
