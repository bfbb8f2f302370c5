/** The routes of the working copy, with the selected route beside the list. */
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { MockRecord } from '../../client/shapes.ts';
import { Command } from '../parts/copy-button.tsx';
import { isWide, Panes } from '../parts/panes.tsx';
import { Empty, FailureBox, Shown } from '../parts/states.tsx';
import { countText } from '../parts/words.ts';
import { announce } from '../state/changes.ts';
import type { MockScreenProps } from '../state/mock-screen-props.ts';
import { navigate, hrefOf, place } from '../state/place.ts';
import { api, mayEdit, me } from '../state/session.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { notify } from '../state/toasts.ts';
import { useWrite } from '../state/write.ts';
import { changedCount, takeRoute, useSavedRoutes, useStagedRoutes } from './routes/list-routes.ts';
import { NewRoute } from './routes/new-route-form.tsx';
import { RemovedRoute } from './routes/removed-route.tsx';
import { RouteEditor } from './routes/route-editor.tsx';
import { moveBy, RouteList } from './routes/route-list.tsx';
import { markRoutes, type MarkedRows } from './routes/route-rows.ts';
import { addRoute, deleteRoute, moveRoute, switchRoutes } from './routes/write-route.ts';

export function RoutesScreen({ mock, record, path }: MockScreenProps): JSX.Element {
  const staged = useStagedRoutes(record);
  const saved = useSavedRoutes(record);
  const write = useWrite();
  /** Retries the last change. */
  const again = useRef<() => Promise<void>>(async () => undefined);
  const canEdit = mayEdit.value && record.file === null;
  const routes = staged.state.value.value;
  const [asked, responseId] = path;
  // A mock opens with its first route, where list and route fit side by side. Moving that route does not change it.
  const first = useRef<string | undefined>(undefined);
  if (routes?.some(({ id }) => id === first.current) !== true) first.current = routes?.[0]?.id;
  const selected = asked ?? (isWide.value ? first.current : undefined);
  const before = saved.state.value.value;
  const marked = useMemo(() => markRoutes(routes ?? [], before), [routes, before]);

  const { added, changed, removed } = marked;
  useEffect(() => {
    changedCount.value = { mockId: record.id, count: added + changed + removed };
  }, [record.id, added, changed, removed]);

  const open = (...below: readonly string[]): void => navigate(['mocks', record.id, 'routes', ...below], listQuery());
  /** Reloads what a write changed elsewhere: the order, and whether there is something to save. */
  const reload = async (): Promise<void> => {
    await Promise.all([staged.reload(), mock.reload()]);
  };
  const move = async (routeId: string, target: string | undefined): Promise<void> => {
    again.current = () => move(routeId, target);
    if ((await write.run(() => moveRoute(record.id, routeId, target))) !== undefined) await reload();
  };
  const remove = async (routeId: string): Promise<void> => {
    again.current = () => remove(routeId);
    const index = marked.rows.findIndex(({ route }) => route.id === routeId);
    const rest = marked.rows.filter(({ mark }) => mark !== 'removed').map(({ route }) => route.id);
    const next = rest[rest.indexOf(routeId) + 1];
    const route = await write.run(() => deleteRoute(record.id, routeId));
    if (route === undefined) return;
    staged.replace((routes ?? []).filter(({ id }) => id !== routeId));
    notify(`Deleted ${route.method} ${route.path}.`, {
      label: 'Undo',
      run: () => void write.run(() => addRoute(record.id, route, next)).then(reload),
    });
    if (routeId === selected) {
      const neighbour = marked.rows[index + 1] ?? marked.rows[index - 1];
      if (neighbour === undefined) open();
      else open(neighbour.route.id);
      document.querySelector<HTMLElement>('.route-list [role=grid]')?.focus();
    }
    await mock.reload();
  };
  const switchAll = async (routeIds: readonly string[], enabled: boolean): Promise<void> => {
    again.current = () => switchAll(routeIds, enabled);
    const switched = await write.run(() => switchRoutes(record.id, routeIds, enabled));
    if (switched === undefined) return;
    const how = enabled ? 'on' : 'off';
    if (switched.length === 0) return notify(`Nothing to do: ${countText(routeIds.length, 'route')} already ${how}.`);
    // Also reloads the open route.
    announce('mock.stage', [record.id], me.value?.userId ?? '');
    notify(`Switched ${how} ${countText(switched.length, 'route')}.`, {
      label: 'Undo',
      run: () => void switchAll(switched, !enabled),
    });
  };
  const position = marked.rows.findIndex(({ route }) => route.id === selected);
  const moveSelected = (step: -1 | 1): void =>
    moveBy(marked.rows, position, step, (routeId, target) => void move(routeId, target));
  useShortcuts(
    canEdit && position !== -1
      ? [
          { keys: 'Alt+ArrowUp', label: 'Move the route up', run: () => moveSelected(-1) },
          { keys: 'Alt+ArrowDown', label: 'Move the route down', run: () => moveSelected(1) },
        ]
      : [],
    [position, marked, canEdit],
  );
  useShortcuts(canEdit ? [{ keys: 'n', label: 'New route', run: () => open('new') }] : [], [canEdit, record.id]);

  const detail = (): JSX.Element | undefined => {
    if (selected === undefined) return undefined;
    if (selected === 'new') {
      return (
        <NewRoute
          mockId={record.id}
          canEdit={canEdit}
          onAdded={(route) => {
            takeRoute(staged, route);
            void mock.reload();
            open(route.id);
          }}
        />
      );
    }
    const row = marked.rows[position];
    if (row?.mark === 'removed') {
      return <RemovedRoute key={selected} record={record} route={row.route} canEdit={canEdit} onBack={reload} />;
    }
    return (
      <RouteEditor
        key={selected}
        record={record}
        routeId={selected}
        responseId={responseId}
        isAsked={asked !== undefined}
        canEdit={canEdit}
        onWritten={(route) => {
          takeRoute(staged, route);
          // The server knows whether it still differs from the saved route.
          staged.changed('reload');
          void mock.reload();
        }}
        onCopied={(copy) => void reload().then(() => open(copy.id))}
        onMove={moveSelected}
        onDelete={() => void remove(selected)}
        copyBefore={nextId(marked, position)}
      />
    );
  };

  return (
    <Shown of={staged} what="the routes">
      {(all) => (
        <>
          <FailureBox failure={write.failure.value} what="The change" onRetry={() => void again.current()} />
          {all.length === 0 && marked.removed === 0 && selected === undefined ? (
            <NoRoutes record={record} canEdit={canEdit} />
          ) : (
            <Panes
              back={{ label: 'All routes', href: hrefOf(['mocks', record.id, 'routes'], listQuery()) }}
              none="Select a route."
              list={
                <RouteList
                  mockId={record.id}
                  marked={marked}
                  selected={selected}
                  canEdit={canEdit}
                  onOpen={open}
                  onMove={(routeId, target) => void move(routeId, target)}
                  onDelete={(routeId) => void remove(routeId)}
                  onSwitch={(routeIds, enabled) => void switchAll(routeIds, enabled)}
                  isWriting={write.isRunning.value}
                />
              }
              detail={detail()}
            />
          )}
        </>
      )}
    </Shown>
  );
}

/** Keeps the filters of the list from route to route. */
const listQuery = (): Record<string, string | undefined> => ({
  q: place.value.query.get('q'),
  group: place.value.query.get('group'),
});

/** The next route in the working copy. */
const nextId = ({ rows }: MarkedRows, index: number): string | undefined =>
  index === -1 ? undefined : rows.slice(index + 1).find(({ mark }) => mark !== 'removed')?.route.id;

function NoRoutes({ record, canEdit }: { readonly record: MockRecord; readonly canEdit: boolean }): JSX.Element {
  const address = `${api().mocks.urlFor(record)}/hello`;
  const line = `curl -i ${address}`;
  return (
    <Empty title="No routes yet">
      <p>
        A route answers requests with a method and a path, such as <code>GET /users/:id</code>. Until there is one,
        every request is answered 404 and appears under Traffic, where one click turns it into a route.
      </p>
      {canEdit && (
        <a class="button primary" href={hrefOf(['mocks', record.id, 'routes', 'new'])}>
          New route
        </a>
      )}
      <Command text={line} label="" />
    </Empty>
  );
}
