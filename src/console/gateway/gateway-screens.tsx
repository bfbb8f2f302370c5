/** The screens below `#/gateway`: live traffic, and the setup of clients. */
import type { GatewayStatus } from '../../client/shapes.ts';
import { Command } from '../parts/copy-button.tsx';
import { Page, Tabs } from '../parts/page.tsx';
import { Empty, Shown } from '../parts/states.tsx';
import { hrefOf } from '../state/place.ts';
import { usePolled } from '../state/polled.ts';
import { useResource, type Resource } from '../state/resource.ts';
import { api } from '../state/session.ts';
import { ConnectScreen, type RunningProps } from './connect-screen.tsx';
import { LiveScreen } from './live-screen.tsx';
import { SessionsScreen } from './sessions-screen.tsx';
import { SettingsScreen } from './settings-screen.tsx';
import { choices } from '../parts/words.ts';

const TABS = choices({ '': 'Traffic', connect: 'Connect a client', sessions: 'Sessions', settings: 'Settings' });

const SCREENS: Readonly<Record<string, (props: RunningProps) => JSX.Element>> = {
  connect: ConnectScreen,
  sessions: SessionsScreen,
};

export function GatewayScreens({ path }: { readonly path: readonly string[] }): JSX.Element {
  const [tab = '', ...below] = path;
  return (
    <Page
      title="Live traffic"
      screen={`gateway ${tab}`}
      tabs={
        <Tabs
          label="Live traffic"
          tabs={TABS.map(([name, label]) => ({
            label,
            href: hrefOf(name === '' ? ['gateway'] : ['gateway', name]),
            isCurrent: name === tab,
          }))}
        />
      }
    >
      {/* Stored even while the gateway is stopped. */}
      {tab === 'settings' ? <SettingsScreen /> : <OfRunning tab={tab} path={below} />}
    </Page>
  );
}

function OfRunning({ tab, path }: { readonly tab: string; readonly path: readonly string[] }): JSX.Element {
  const status = useResource(() => api().gateway.status(), []);
  return (
    <Shown of={status} what="the state of the gateway">
      {(gateway) => {
        const { running, server } = gateway;
        if (!running || server === null) return <NotRunning status={status} isStarting={server !== null} />;
        const Screen = SCREENS[tab] ?? LiveScreen;
        return <Screen gateway={{ ...gateway, server }} path={path} />;
      }}
    </Shown>
  );
}

interface NotRunningProps {
  readonly status: Resource<GatewayStatus>;
  /** The process is starting. */
  readonly isStarting: boolean;
}

function NotRunning({ status, isStarting }: NotRunningProps): JSX.Element {
  usePolled(status);
  if (isStarting) {
    return (
      <p class="bar" role="status">
        The gateway is restarting. Its exchanges and counts were reset.
      </p>
    );
  }
  return (
    <Empty
      title="The gateway is stopped"
      docs={['gateway#start-it', 'Gateway documentation']}
      waiting="This page continues when the gateway starts."
    >
      <p>
        The gateway is a proxy for HTTP and HTTPS. It applies your rules to the traffic of your clients, and lists each
        exchange here. The server was started with --no-gateway, or the default port was in use. Choose a free port:
      </p>
      <Command text="switchyard serve --gateway-port 8082" label="" />
    </Empty>
  );
}
