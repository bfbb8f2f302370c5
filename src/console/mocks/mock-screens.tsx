/** The screens below `#/mocks/:id`, with the mock's heading and tabs. Each loads when first shown. */
import type { ComponentType } from 'preact';
import { lazy } from '../parts/lazy.tsx';
import { Page, Tabs } from '../parts/page.tsx';
import { Empty, Shown } from '../parts/states.tsx';
import type { MockScreenProps } from '../state/mock-screen-props.ts';
import { hrefOf } from '../state/place.ts';
import { changesOf, useResource } from '../state/resource.ts';
import { api } from '../state/session.ts';
import { visibleLine } from '../state/visible-text.ts';
import { MockActions, MockAddress, MockHeading } from './mock-head.tsx';

interface Screen {
  /** undefined: no tab. */
  readonly label: string | undefined;
  readonly Content: (props: MockScreenProps) => JSX.Element | null;
}

const screen = (
  label: string | undefined,
  what: string,
  load: () => Promise<ComponentType<MockScreenProps>>,
): Screen => ({
  label,
  Content: lazy(load, what),
});

/** By the first segment below the mock. */
const SCREENS: ReadonlyMap<string, Screen> = new Map([
  ['routes', screen('Routes', 'the routes', async () => (await import('./routes-screen.tsx')).RoutesScreen)],
  [
    'traffic',
    screen('Traffic', 'the traffic', async () => (await import('../traffic/traffic-screen.tsx')).TrafficScreen),
  ],
  [
    'sessions',
    screen('Sessions', 'the sessions', async () => (await import('./sessions/sessions-screen.tsx')).SessionsScreen),
  ],
  [
    'versions',
    screen('Versions', 'the versions', async () => (await import('./versions/versions-screen.tsx')).VersionsScreen),
  ],
  [
    'upstream',
    screen('Upstream', 'the upstream', async () => (await import('./upstream/upstream-screen.tsx')).UpstreamScreen),
  ],
  [
    'callbacks',
    screen('Callbacks', 'the callbacks', async () => (await import('./upstream/callbacks-screen.tsx')).CallbacksScreen),
  ],
  ['verify', screen('Verify', 'the form', async () => (await import('../verify/verify-screen.tsx')).VerifyScreen)],
  ['settings', screen('Settings', 'the settings', async () => (await import('./settings-screen.tsx')).SettingsScreen)],
  [
    'import',
    screen(undefined, 'the form', async () => (await import('./import/staged-import-screen.tsx')).StagedImportScreen),
  ],
  ['diff', screen(undefined, 'the changes', async () => (await import('./review/review-screen.tsx')).ReviewScreen)],
]);

interface MockScreensProps {
  readonly mockId: string;
  /** Below the mock: `['routes', ':routeId']`. */
  readonly path: readonly string[];
}

const TRAIL = [{ label: 'Mocks', href: hrefOf(['mocks']) }];

export function MockScreens({ mockId, path }: MockScreensProps): JSX.Element {
  const mock = useResource(() => api().mocks.get(mockId), [mockId], changesOf(mockId));
  const [name = 'routes', ...below] = path;
  const record = mock.state.value.value;
  const title = visibleLine(record?.name ?? mockId);
  const shown = SCREENS.get(name);
  return (
    <Page
      title={shown?.label === undefined ? title : `${title} · ${shown.label}`}
      heading={record === undefined ? title : <MockHeading record={record} />}
      screen={`mocks/${mockId}/${name}`}
      trail={TRAIL}
      actions={record !== undefined && <MockActions mock={mock} record={record} />}
      tabs={
        <>
          {record !== undefined && <MockAddress record={record} />}
          <MockTabs mockId={mockId} current={name} />
        </>
      }
    >
      <Shown of={mock} what="the mock">
        {(loaded) =>
          shown === undefined ? (
            <Empty title="No such page">
              <p>
                <a href={hrefOf(['mocks', mockId, 'routes'])}>Open the routes of this mock</a>
              </p>
            </Empty>
          ) : (
            <shown.Content mock={mock} record={loaded} path={below} />
          )
        }
      </Shown>
    </Page>
  );
}

const MockTabs = ({ mockId, current }: { readonly mockId: string; readonly current: string }): JSX.Element => (
  <Tabs
    label="The mock"
    tabs={[...SCREENS].flatMap(([name, { label }]) =>
      label === undefined ? [] : [{ label, href: hrefOf(['mocks', mockId, name]), isCurrent: name === current }],
    )}
  />
);
