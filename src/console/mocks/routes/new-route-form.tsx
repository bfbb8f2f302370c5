/**
 * Creates a route: method, path, and first response. The address may propose them: `method`, `path`, `status`, and
 * `header` as lines of `name: value`.
 */
import type { MockRoute } from '../../../model/mocks/definition/definition.ts';
import { bound, errorsOf } from '../../parts/bound.ts';
import { Button, Form, SelectField, TextField } from '../../parts/controls.tsx';
import { FailureBox } from '../../parts/states.tsx';
import { useDraft } from '../../state/draft.ts';
import { place } from '../../state/place.ts';
import { useWrite } from '../../state/write.ts';
import { headerLines, METHODS } from '../../parts/request-text.ts';
import { numberOrText } from './fields.tsx';
import { newResponse, newRoute, storeNameOf } from './new-route.ts';
import { addRoute, addStore } from './write-route.ts';
import { choices } from '../../parts/words.ts';

interface NewRouteProps {
  readonly mockId: string;
  readonly canEdit: boolean;
  readonly onAdded: (route: MockRoute) => void;
}

export function NewRoute({ mockId, canEdit, onAdded }: NewRouteProps): JSX.Element {
  const { query } = place.value;
  const proposed = {
    method: query.get('method') ?? 'GET',
    path: query.get('path') ?? '/',
    status: query.get('status') ?? '200',
    kind: 'http' as 'http' | 'crud',
  };
  const draft = useDraft<typeof proposed>(`new-route.${mockId}.${JSON.stringify(proposed)}`);
  const typed = draft.value.value ?? proposed;
  const write = useWrite();
  const errorAt = errorsOf(write.failure.value);
  const field = bound(typed, (next) => (draft.value.value = next), errorAt);
  const isCrud = typed.kind === 'crud';
  if (!canEdit) return <p class="muted">This mock is read-only.</p>;
  const add = async (): Promise<void> => {
    const headers = headerLines(query.get('header') ?? '');
    const responses = [newResponse({ status: numberOrText(typed.status) as number, headers })];
    const path = typed.path.trim();
    const added = isCrud
      ? newRoute({ kind: 'crud', method: 'ANY', path, store: storeNameOf(path), responses: [newResponse()] })
      : newRoute({ method: typed.method.trim().toUpperCase(), path, responses });
    const route = await write.run(async () => {
      const made = await addRoute(mockId, added, undefined);
      if (made.store !== undefined) await addStore(mockId, made.store);
      return made;
    });
    if (route === undefined) return;
    draft.discard();
    onAdded(route);
  };
  return (
    <Form class="stack new-route" aria-labelledby="new-route" onSubmit={() => void add()}>
      <h2 id="new-route">New route</h2>
      <FailureBox failure={write.failure.value} what="Adding the route" />
      <div class="route-line">
        {!isCrud && <TextField label="Method" {...field('method')} suggestions={[...METHODS, 'ANY']} monospace />}
        <TextField
          label="Path"
          {...field('path')}
          monospace
          takesFocus
          hint={
            <>
              <code>:name</code> matches one segment, a final <code>*</code> the rest.
            </>
          }
        />
        {!isCrud && <TextField label="Status" {...field('status')} error={errorAt('/responses/0/status')} />}
      </div>
      <SelectField
        label="Responds with"
        {...field('kind')}
        options={KIND_CHOICES}
        hint={isCrud ? 'Posted items are stored, and can be listed, read, changed and deleted.' : undefined}
      />
      <p class="row">
        <Button type="submit" kind="primary" busy={write.isRunning.value}>
          Add route
        </Button>
        <span class="hint">Added to the working copy; served after a save.</span>
      </p>
    </Form>
  );
}

const KIND_CHOICES = choices({ http: 'a response', crud: 'CRUD over a store' });
