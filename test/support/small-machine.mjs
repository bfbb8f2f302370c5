/** Preloaded into a server (`--import`): the memory of its machine is MACHINE_MEMORY_BYTES, from which it takes the sizes of its parts. */
process.constrainedMemory = () => Number(process.env.MACHINE_MEMORY_BYTES);
