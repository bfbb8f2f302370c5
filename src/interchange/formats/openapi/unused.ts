/** Accounts for what is left of the files of an OpenAPI document: components that nothing refers to. */
import { typed } from '../../reading/members.ts';
import type { Bundle } from '../../source/bundle.ts';
import type { Member } from '../../source/member.ts';
import { EXTENSIONS, leaveOut, type Reading } from './members.ts';

const SECTIONS = [
  'schemas',
  'responses',
  'parameters',
  'examples',
  'requestBodies',
  'headers',
  'links',
  'callbacks',
  'pathItems',
  'mediaTypes',
] as const;
const SWAGGER_SECTIONS = ['definitions', 'parameters', 'responses'] as const;

export function countUnused(root: Member, bundle: Bundle, reading: Reading): void {
  const owner = reading.isSwagger ? root : typed(root, 'components', 'object');
  for (const name of reading.isSwagger ? SWAGGER_SECTIONS : SECTIONS) {
    const section = owner && typed(owner, name, 'object');
    if (section !== undefined) countBelow(section, reading);
  }
  if (owner !== undefined && owner !== root) {
    for (const name of owner.names()) if (EXTENSIONS.test(name)) leaveOut(owner.get(name) as Member, reading);
  }
  // References may lead to places that OpenAPI has no name for.
  for (const member of root.unread()) {
    if (reading.references.isPassed(member.value) && member.parent?.parent === undefined) {
      countBelow(root.get(member.name) as Member, reading);
    }
  }
  for (const file of bundle.opened) {
    const other = file === root.file ? undefined : bundle.root(file);
    if (other !== undefined && !reading.references.isReached(other.value)) countBelow(other, reading);
  }
}

/** Skips targets of references, which were read there. */
function countBelow(container: Member, reading: Reading): void {
  for (const member of container.isArray ? container.items() : container.members()) {
    const { value } = member;
    if (reading.references.isReached(value)) continue;
    if (reading.references.isPassed(value)) countBelow(member, reading);
    else leaveOut(member, reading);
  }
}
