/** The groups API: spec.md, "Endpoints", "Groups". Reads requests, asks the owner, writes what it answers. */
import { Type } from 'typebox';
import { isRefusal } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { createGroup, deleteGroup, updateGroup } from '../model/decide-group.ts';
import { groupParser } from '../model/group-payload.ts';
import { groupPayloadSchema, groupSchema, ownedGroupSchema } from '../model/group.ts';
import { etagOf } from '../model/precondition.ts';
import { listGroups, readGroup, type GroupFilter } from '../model/queries.ts';
import { STATUSES } from '../model/rule.ts';
import type { OwnerDirectory } from '../owners/owner-directory.ts';
import { readBody } from './body.ts';
import { PAGE_PARAMETERS, pageSchema, parseListQuery } from './list-query.ts';
import { groupJson, ownedGroupJson } from './represent.ts';
import type { Route } from './route.ts';

const FILTERS = { status: STATUSES, q: 'any' } as const;

export function groupsApi(owners: OwnerDirectory, limits: Limits): Route[] {
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
        const principal = call.caller;
        const input = { page: query.page, filter: query.filter as GroupFilter | undefined };
        owners.query(listGroups, input, principal, (page) => {
          if (isRefusal(page)) return call.refuse(page);
          const records = page.records.map((record) => ownedGroupJson(record, principal.ownerId)).join();
          call.succeed(`"data":[${records}],"nextOffset":${page.nextOffset},"total":${page.total}`);
        });
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
        answer: Type.Object({ data: ownedGroupSchema }),
        headers: ['Idempotency-Key'],
        refusals: ['groupNameRequired', 'groupPayloadInvalid', 'limitReached', 'idempotencyKeyReused'],
      },
      handle(call) {
        readBody(call, limits.bodyBytesMax, 'groupPayloadInvalid', (body, idempotency) => {
          const principal = call.caller;
          owners.command(
            create,
            { body },
            principal,
            (group) => {
              if (isRefusal(group)) call.refuse(group);
              else call.succeed(`"data":${ownedGroupJson(group, principal.ownerId)}`, `\r\netag: ${etagOf(group)}`);
            },
            idempotency,
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
        owners.query(readGroup, { groupId }, call.caller, (group) => {
          if (isRefusal(group)) call.refuse(group);
          else call.succeed(`"data":${groupJson(group)}`, `\r\netag: ${etagOf(group)}`);
        });
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
          owners.command(update, input, call.caller, (group) => {
            if (isRefusal(group)) call.refuse(group);
            else call.succeed(`"data":${groupJson(group)}`, `\r\netag: ${etagOf(group)}`);
          });
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
        owners.command(deleteGroup, { groupId, ifMatch: call.head.ifMatch }, call.caller, (outcome) => {
          if (isRefusal(outcome)) call.refuse(outcome);
          else call.succeed('"message":"Group deleted successfully"');
        });
      },
    },
  ];
}
