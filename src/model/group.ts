/** A group: the record, the schemas of its payloads and of its representation. Records are immutable, as rules are. */
import type { Limits } from '../limits.ts';
import { Type } from './schema-type.ts';
import type { Stamps } from './stamps.ts';
import { STATUSES, type Status } from './status.ts';

/** A stored group. Its owner is part of its key, not a field. */
export interface Group extends Stamps {
  readonly id: string;
  readonly name: string;
  readonly status: Status;
  readonly isFavourite: boolean;
}

/** Body of POST and PUT. Absent `status` and `isFavourite` take their defaults on POST, and stay unchanged on PUT. */
export function groupPayloadSchema(limits: Limits) {
  return Type.Object({
    name: Type.String({ minLength: 1, maxLength: limits.nameCharsMax }),
    status: Type.Optional(Type.Enum([...STATUSES], { default: 'Active' })),
    isFavourite: Type.Optional(Type.Boolean({ default: false, description: 'Pins the group.' })),
  });
}

/** A group as a single read and an update return it. */
export const groupSchema = Type.Object({
  id: Type.String({ description: '`Group_<suffix>`, assigned by the server.' }),
  name: Type.String(),
  objectType: Type.Literal('group'),
  status: Type.Enum([...STATUSES]),
  isFavourite: Type.Boolean(),
  ruleCount: Type.Integer({ description: 'Rules in the group. Outside the ETag, and ignored in bodies.' }),
  activeRuleCount: Type.Integer({
    description: 'Active rules in the group: 0 when the group is inactive. Outside the ETag, and ignored in bodies.',
  }),
  creationDate: Type.Integer({ description: 'Milliseconds since the Unix epoch.' }),
  modificationDate: Type.Integer({ description: 'Milliseconds since the Unix epoch.' }),
  createdBy: Type.String({ description: 'Id of the creating user.' }),
  lastModifiedBy: Type.String({ description: 'Id of the last modifying user.' }),
});

/** A group as a create and a list return it: with its owner. */
export const ownedGroupSchema = Type.Object({
  ...groupSchema.properties,
  currentOwnerId: Type.String({ description: 'Id of the owner.' }),
});
