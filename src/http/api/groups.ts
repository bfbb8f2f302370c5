/** The endpoints of groups. Passes requests to the owner and writes its answers. */
import type { JsonObject } from '../../base/json-object.ts';
import { isRefusal } from '../../errors.ts';
import type { Limits } from '../../limits.ts';
import { createGroup, deleteGroup, updateGroup } from '../../model/decide-group.ts';
import type { ShownGroup } from '../../model/group-tallies.ts';
import { groupParser } from '../../model/group-payload.ts';
import { groupPayloadSchema, groupSchema, ownedGroupSchema, type Group } from '../../model/group.ts';
import { pageAt } from '../../model/page-at.ts';
import { listGroups, readGroup, type GroupFilter } from '../../model/queries.ts';
import { STATUSES } from '../../model/status.ts';
import { Type } from '../../model/schema-type.ts';
import { showChanged, showGroup, showPage, showRead } from '../../model/show-records.ts';
import type { OwnerDirectory } from '../../owners/owner-directory.ts';
import { PAGE_PARAMETERS, parseListQuery } from './list-query.ts';
import { replyMessage, replyPage, replyRecord } from '../reply.ts';
import { knownTo } from '../list-tag.ts';
import { groupJson, listedGroupJson, ownedGroupJson } from './represent.ts';
import type { Endpoint, EndpointBody } from '../endpoint.ts';
import { operations } from './operation.ts';

const operation = operations('Groups');

const FILTERS = { status: STATUSES, q: 'any' } as const;

const read = showRead(readGroup, showGroup);
const list = pageAt(showRead(listGroups, showPage(showGroup)));

export function groupsApi(owners: OwnerDirectory, limits: Limits): Endpoint[] {
  const parse = groupParser(limits);
  const create = showChanged(createGroup(parse), showGroup);
  const update = showChanged(updateGroup(parse), showGroup);
  const body: EndpointBody<JsonObject> = {
    schema: groupPayloadSchema(limits),
    examples: { Group: { name: 'Checkout', status: 'Active', isFavourite: true } },
    bytesMax: limits.bodyBytesMax,
    invalid: 'groupPayloadInvalid',
  };

  return [
    operation('listGroups', 'GET /v1/groups', {
      summary: 'List groups in order of creation',
      query: Type.Object({
        ...PAGE_PARAMETERS,
        status: Type.Optional(Type.Enum([...STATUSES])),
        q: Type.Optional(Type.String({ description: 'Only groups with this text in their name. Ignores case.' })),
      }),
      page: ownedGroupSchema,
      handle(call) {
        const query = parseListQuery(call.head.query, FILTERS);
        if (isRefusal(query)) return call.refuse(query);
        const input = { page: query.page, filter: query.filter as GroupFilter | undefined };
        owners.query(list, { list: input, isKnown: knownTo(call) }, call.caller, (page) =>
          replyPage(call, page, query.page.offset, listedGroupJson),
        );
      },
    }),
    operation('createGroup', 'POST /v1/groups', {
      summary: 'Create a group',
      record: ownedGroupSchema,
      repeatable: true,
      refuses: ['groupNameRequired'],
      body,
      handle(call, sent) {
        owners.command(
          create,
          { body: sent },
          call.caller,
          (group) => replyRecord(call, group, ownedGroupJson),
          call.repeatable && {
            ...call.repeatable,
            kept: ({ record }) => record,
            reply: (kept) => replyRecord(call, isRefusal(kept) ? kept : newGroup(kept as Group), ownedGroupJson),
          },
        );
      },
    }),
    operation('readGroup', 'GET /v1/groups/:id', {
      summary: 'Read a group',
      record: groupSchema,
      handle(call) {
        const [groupId = ''] = call.params;
        owners.query(read, { groupId }, call.caller, (group) => replyRecord(call, group, groupJson));
      },
    }),
    operation('updateGroup', 'PUT /v1/groups/:id', {
      summary: 'Update a group; absent status and isFavourite keep their values',
      record: groupSchema,
      conditional: true,
      refuses: ['groupNameRequired'],
      body,
      handle(call, sent) {
        const [groupId = ''] = call.params;
        const input = { groupId, body: sent, ifMatch: call.head.ifMatch };
        owners.command(update, input, call.caller, (group) => replyRecord(call, group, groupJson));
      },
    }),
    operation('deleteGroup', 'DELETE /v1/groups/:id', {
      summary: 'Delete a group; its rules become ungrouped',
      message: 'Group deleted successfully',
      conditional: true,
      refuses: ['limitReached'],
      handle(call) {
        const [groupId = ''] = call.params;
        owners.command(deleteGroup, { groupId, ifMatch: call.head.ifMatch }, call.caller, (outcome) =>
          replyMessage(call, outcome, 'Group deleted successfully'),
        );
      },
    }),
  ];
}

/** The first answer to a request that is repeated: there was no rule in the group. */
function newGroup(record: Group): ShownGroup {
  return { record, ruleCount: 0, activeRuleCount: 0 };
}
