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

/** @param what For messages; by default the screen's own label. */
const screen = (
  label: string | undefined,
  load: () => Promise<ComponentType<MockScreenProps>>,
  what = `the ${label?.toLowerCase()}`,
): Screen => ({ label, Content: lazy(load, what) });

/** By the first segment below the mock. */
const SCREENS: ReadonlyMap<string, Screen> = new Map(
  Object.entries({
    routes: screen('Routes', async () => (await import('./routes-screen.tsx')).RoutesScreen),
    traffic: screen('Traffic', async () => (await import('../traffic/traffic-screen.tsx')).TrafficScreen),
    sessions: screen('Sessions', async () => (await import('./sessions/sessions-screen.tsx')).SessionsScreen),
    versions: screen('Versions', async () => (await import('./versions/versions-screen.tsx')).VersionsScreen),
    upstream: screen('Upstream', async () => (await import('./upstream/upstream-screen.tsx')).UpstreamScreen),
    callbacks: screen('Callbacks', async () => (await import('./upstream/callbacks-screen.tsx')).CallbacksScreen),
    verify: screen('Verify', async () => (await import('../verify/verify-screen.tsx')).VerifyScreen, 'the form'),
    settings: screen('Settings', async () => (await import('./settings-screen.tsx')).SettingsScreen),
    import: screen(undefined, loadImport, 'the form'),
    diff: screen(undefined, async () => (await import('./review/review-screen.tsx')).ReviewScreen, 'the changes'),
  }),
);

async function loadImport(): Promise<ComponentType<MockScreenProps>> {
  return (await import('./import/staged-import-screen.tsx')).StagedImportScreen;
}

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
