/**
 * In a cluster, the gateway of an owner has a home as a mock has, and each node that applies the rules of an owner is noted: the home
 * of the gateway, and those of mocks that have rules act. Among the homes of mocks they have keys that no mock can have as its id.
 */

const PREFIX = 'gateway:';
const RULES = 'rules:';

export function gatewayKey(ownerId: string): string {
  return `${PREFIX}${ownerId}`;
}

/** The key of an owner's rules at a node. Without a node, or an owner, it is what such keys begin with. */
export function rulesKey(ownerId = '', nodeId = ''): string {
  return ownerId === '' ? RULES : `${RULES}${ownerId}/${nodeId}`;
}

/** @returns The owner whose gateway the key stands for; undefined for the id of a mock, and for rules. */
export function ownerOfGateway(key: string): string | undefined {
  return key.startsWith(PREFIX) ? key.slice(PREFIX.length) : undefined;
}

/** @returns The owner whose rules a key of either kind stands for; undefined for the id of a mock. */
export function ownerOfRules(key: string): string | undefined {
  return key.startsWith(RULES) ? key.slice(RULES.length, key.lastIndexOf('/')) : ownerOfGateway(key);
}
