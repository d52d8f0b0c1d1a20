// A process that ends at once.
process.exitCode = 0;
