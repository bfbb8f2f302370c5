/** A route of the saved version that the working copy no longer has. */
import type { MockRecord } from '../../../client/shapes.ts';
import { Button } from '../../parts/controls.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import { FailureBox } from '../../parts/states.tsx';
import { api } from '../../state/session.ts';
import { useWrite } from '../../state/write.ts';
import type { ListedRoute } from './route-rows.ts';
import { addRoute } from './write-route.ts';

interface RemovedRouteProps {
  readonly record: MockRecord;
  readonly route: ListedRoute;
  readonly canEdit: boolean;
  readonly onBack: () => Promise<void>;
}

export function RemovedRoute({ record, route, canEdit, onBack }: RemovedRouteProps): JSX.Element {
  const write = useWrite();
  const putBack = async (): Promise<void> => {
    const answer = await write.run(async () => {
      const { routes } = await api().mocks.version(record.id, record.version);
      const index = routes.findIndex(({ id }) => id === route.id);
      const found = routes[index];
      if (found === undefined) throw new Error('The saved version has no such route.');
      const staged = new Set((await api().mocks.staged.routes(record.id)).map(({ id }) => id));
      return addRoute(record.id, found, routes.slice(index + 1).find(({ id }) => staged.has(id))?.id);
    });
    if (answer !== undefined) await onBack();
  };
  return (
    <section class="stack" aria-labelledby="removed-route">
      <h2 id="removed-route">
        {route.method} <SafeLine text={route.path} />
      </h2>
      <p>Removed from the working copy. Version {record.version} serves it until you save.</p>
      <FailureBox failure={write.failure.value} what="Restoring the route" />
      {canEdit && (
        <p>
          <Button busy={write.isRunning.value} onClick={() => void putBack()}>
            Restore
          </Button>
        </p>
      )}
    </section>
  );
}
