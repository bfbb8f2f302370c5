/** In a cluster, the gateway of an owner has a home as a mock has. Among their homes it has a key that no mock can have as its id. */

const PREFIX = 'gateway:';

export function gatewayKey(ownerId: string): string {
  return `${PREFIX}${ownerId}`;
}

/** @returns The owner whose gateway the key stands for; undefined for the id of a mock. */
export function ownerOfGateway(key: string): string | undefined {
  return key.startsWith(PREFIX) ? key.slice(PREFIX.length) : undefined;
}
