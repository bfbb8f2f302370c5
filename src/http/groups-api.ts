/** The groups API: spec.md, "Endpoints", "Groups". Reads requests, asks the owner, writes what it answers. */
import { isRefusal } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { createGroup, deleteGroup, updateGroup } from '../model/decide-group.ts';
import { groupParser } from '../model/group-payload.ts';
import { groupPayloadSchema, groupSchema, ownedGroupSchema } from '../model/group.ts';
import { listGroups, readGroup, type GroupFilter } from '../model/queries.ts';
import { STATUSES } from '../model/rule.ts';
import { Type } from '../model/schema-type.ts';
import type { OwnerDirectory } from '../owners/owner-directory.ts';
import { readBody } from './body.ts';
import { PAGE_PARAMETERS, pageSchema, parseListQuery } from './list-query.ts';
import { replyMessage, replyPage, replyRecord } from './reply.ts';
import { groupJson, ownedGroupJson } from './represent.ts';
import type { Endpoint } from './endpoint.ts';

const FILTERS = { status: STATUSES, q: 'any' } as const;

export function groupsApi(owners: OwnerDirectory, limits: Limits): Endpoint[] {
  const parse = groupParser(limits);
  const create = createGroup(parse);
  const update = updateGroup(parse);
  const payload = groupPayloadSchema(limits);

  return [
    {
      method: 'GET',
      path: '/v1/groups',
      access: 'read',
      doc: {
        operationId: 'listGroups',
        tag: 'Groups',
        summary: 'List groups in order of creation',
        query: Type.Object({
          ...PAGE_PARAMETERS,
          status: Type.Optional(Type.Enum([...STATUSES])),
          q: Type.Optional(Type.String({ description: 'Only groups with this in their name, whatever the case.' })),
        }),
        answer: pageSchema(ownedGroupSchema),
        refusals: ['badRequest'],
      },
      handle(call) {
        const query = parseListQuery(call.head.query, FILTERS);
        if (isRefusal(query)) return call.refuse(query);
        const input = { page: query.page, filter: query.filter as GroupFilter | undefined };
        owners.query(listGroups, input, call.caller, (page) => replyPage(call, page, ownedGroupJson));
      },
    },
    {
      method: 'POST',
      path: '/v1/groups',
      access: 'write',
      doc: {
        operationId: 'createGroup',
        tag: 'Groups',
        summary: 'Create a group',
        body: payload,
        examples: { Group: { name: 'Checkout', status: 'Active', isFavourite: true } },
        answer: Type.Object({ data: ownedGroupSchema }),
        headers: ['Idempotency-Key'],
        refusals: ['groupNameRequired', 'groupPayloadInvalid', 'limitReached', 'idempotencyKeyReused'],
      },
      handle(call) {
        readBody(call, limits.bodyBytesMax, 'groupPayloadInvalid', (body, repeatable) => {
          owners.command(
            create,
            { body },
            call.caller,
            (group) => replyRecord(call, group, ownedGroupJson),
            repeatable,
          );
        });
      },
    },
    {
      method: 'GET',
      path: '/v1/groups/:id',
      access: 'read',
      doc: {
        operationId: 'readGroup',
        tag: 'Groups',
        summary: 'Read a group',
        answer: Type.Object({ data: groupSchema }),
        refusals: ['invalidGroupId', 'groupNotFound'],
      },
      handle(call) {
        const [groupId = ''] = call.params;
        owners.query(readGroup, { groupId }, call.caller, (group) => replyRecord(call, group, groupJson));
      },
    },
    {
      method: 'PUT',
      path: '/v1/groups/:id',
      access: 'write',
      doc: {
        operationId: 'updateGroup',
        tag: 'Groups',
        summary: 'Update a group; absent status and isFavourite keep their value',
        body: payload,
        examples: { Group: { name: 'Checkout', status: 'Active', isFavourite: true } },
        answer: Type.Object({ data: groupSchema }),
        headers: ['If-Match'],
        refusals: [
          'invalidGroupId',
          'groupNotFound',
          'groupNameRequired',
          'groupPayloadInvalid',
          'limitReached',
          'preconditionFailed',
        ],
      },
      handle(call) {
        const [groupId = ''] = call.params;
        readBody(call, limits.bodyBytesMax, 'groupPayloadInvalid', (body) => {
          const input = { groupId, body, ifMatch: call.head.ifMatch };
          owners.command(update, input, call.caller, (group) => replyRecord(call, group, groupJson));
        });
      },
    },
    {
      method: 'DELETE',
      path: '/v1/groups/:id',
      access: 'write',
      doc: {
        operationId: 'deleteGroup',
        tag: 'Groups',
        summary: 'Delete a group; its rules become ungrouped',
        answer: Type.Object({ message: Type.Literal('Group deleted successfully') }),
        headers: ['If-Match'],
        refusals: ['invalidGroupId', 'groupNotFound', 'preconditionFailed'],
      },
      handle(call) {
        const [groupId = ''] = call.params;
        owners.command(deleteGroup, { groupId, ifMatch: call.head.ifMatch }, call.caller, (outcome) =>
          replyMessage(call, outcome, 'Group deleted successfully'),
        );
      },
    },
  ];
}
