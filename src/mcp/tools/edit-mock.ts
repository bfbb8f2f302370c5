/** Edits of the working copy, all or none of a call; those of a session, which is one test's own, hold at once. */
import { isObject, type JsonObject } from '../../base/json-object.ts';
import type { OverlayInput, StagedInput } from '../../client/shapes.ts';
import { SwitchyardError } from '../../client/switchyard-error.ts';
import { DEFAULT_LIMITS } from '../../limits.ts';
import type { MockDefinition, MockResponse, MockRoute } from '../../model/mocks/definition/definition.ts';
import { responseShape, routeShape, settingsShape } from '../../model/mocks/definition/schema.ts';
import { mergeShape } from '../../model/mocks/sessions/session-schema.ts';
import { Type } from '../../model/schema-type.ts';
import { compact, type ToolAnswer } from '../answer.ts';
import { ToolError } from '../tool-error.ts';
import { asResponse, asRoute, findRoute, readableRoute, routeName, type RouteDraft } from './mock-texts.ts';
import { memberNames, mock, named, session, tool, type Api } from './tool.ts';

const ROUTE = memberNames(routeShape(DEFAULT_LIMITS.mocks));
const RESPONSE = memberNames(responseShape(DEFAULT_LIMITS.mocks));
/** How often an edit is made anew on what others have edited in the meantime. */
const ATTEMPTS = 5;

/** @param edit Makes of the working copy what it becomes, and of that what is answered. */
async function editStaged(
  api: Api,
  id: string,
  edit: (staged: MockDefinition) => StagedInput & { readonly said: object },
): Promise<ToolAnswer> {
  for (let attempt = 1; ; attempt++) {
    const staged = await api.mocks.staged.get(id);
    const { said, ...body } = edit(staged);
    try {
      const { warnings } = api.mocks.warnings(await api.mocks.staged.put(id, body, { ifMatch: staged }));
      const next = 'Nothing served has changed: mocks_apply saves it.';
      return { data: { ...compact({ ...said, warnings }), next }, isRecorded: true };
    } catch (error) {
      if (!(error instanceof SwitchyardError)) throw error;
      if (error.status === 412 && attempt < ATTEMPTS) continue;
      const nameIn = (path: string) =>
        path.replace(/^\/routes\/(\d+)/, (whole, at) => routeName(body.routes?.[at] as MockRoute) + whole);
      const details = error.details.map(({ path, message }) => ({ path: nameIn(path), message }));
      throw new ToolError(error.status, error.refusal, details);
    }
  }
}
