/**
 * A new route: method, path, and what it answers first. The address may propose them: `method`, `path`, `status`, and
 * `header` as lines of `name: value`.
 */
import type { MockRoute } from '../../../model/mocks/definition/definition.ts';
import { bound } from '../../parts/bound.ts';
import { Button, TextField } from '../../parts/controls.tsx';
import { FailureBox } from '../../parts/states.tsx';
import { useDraft } from '../../state/draft.ts';
import { place } from '../../state/place.ts';
import { useWrite } from '../../state/write.ts';
import { headerLines, METHODS } from '../../parts/request-text.ts';
import { errorsOf, numberOrText } from './fields.tsx';
import { newResponse, newRoute } from './new-route.ts';
import { addRoute } from './write-route.ts';

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
  };
  const draft = useDraft<typeof proposed>(`new-route.${mockId}.${JSON.stringify(proposed)}`);
  const typed = draft.value.value ?? proposed;
  const write = useWrite();
  const errorAt = errorsOf(write.failure.value);
  const field = bound(typed, (next) => (draft.value.value = next), errorAt);
  if (!canEdit) return <p class="muted">This mock cannot be changed here.</p>;
  const add = async (event: Event): Promise<void> => {
    event.preventDefault();
    const headers = headerLines(query.get('header') ?? '');
    const responses = [newResponse({ status: numberOrText(typed.status) as number, headers })];
    const added = newRoute({ method: typed.method.trim().toUpperCase(), path: typed.path.trim(), responses });
    const route = await write.run(() => addRoute(mockId, added, undefined));
    if (route === undefined) return;
    draft.discard();
    onAdded(route);
  };
  return (
    <form class="stack new-route" aria-labelledby="new-route" onSubmit={(event) => void add(event)}>
      <h2 id="new-route">New route</h2>
      <FailureBox failure={write.failure.value} what="Adding the route" />
      <div class="route-line">
        <TextField label="Method" {...field('method')} suggestions={[...METHODS, 'ANY']} monospace />
        <TextField
          label="Path"
          {...field('path')}
          monospace
          takesFocus
          hint={
            <>
              <code>:name</code> stands for one segment, <code>*</code> at the end for any rest.
            </>
          }
        />
        <TextField label="Status" {...field('status')} error={errorAt('/responses/0/status')} />
      </div>
      <p class="row">
        <Button type="submit" kind="primary" busy={write.isRunning.value}>
          Add route
        </Button>
        <span class="hint">It goes to the working copy, and is served once that is saved.</span>
      </p>
    </form>
  );
}
