/** The screen of an address. Each area loads with its first screen. */
import { lazy } from './parts/lazy.tsx';
import { Empty } from './parts/states.tsx';
import { Page } from './parts/page.tsx';
import { hrefOf, type Place } from './state/place.ts';
import { MocksScreen } from './mocks/mocks-screen.tsx';

/** Below `#/mocks/:id`. */
const MockScreens = lazy(async () => (await import('./mocks/mock-screens.tsx')).MockScreens, 'the mock');
const ImportScreen = lazy(async () => (await import('./mocks/import/import-screen.tsx')).ImportScreen, 'the form');
const GatewayScreens = lazy(
  async () => (await import('./gateway/gateway-screens.tsx')).GatewayScreens,
  'the live traffic',
);
const RulesScreens = lazy(async () => (await import('./rules/rules-screen.tsx')).RulesScreens, 'the rules');
const HistoryScreen = lazy(async () => (await import('./history/history-screen.tsx')).HistoryScreen, 'the history');
const KeysScreen = lazy(async () => (await import('./keys/keys-screen.tsx')).KeysScreen, 'the keys');

export function screenOf({ path }: Place): JSX.Element {
  const [area, ...below] = path;
  if (area === undefined) return <MocksScreen />;
  if (area === 'mocks') {
    const [mockId, ...rest] = below;
    // No mock has this id.
    if (mockId === 'import') return <ImportScreen />;
    return mockId === undefined ? <MocksScreen /> : <MockScreens key={mockId} mockId={mockId} path={rest} />;
  }
  if (area === 'gateway') return <GatewayScreens path={below} />;
  if (area === 'rules') return <RulesScreens path={below} />;
  if (area === 'history') return <HistoryScreen />;
  if (area === 'keys') return <KeysScreen />;
  return <Nowhere />;
}

const Nowhere = (): JSX.Element => (
  <Page title="Not found">
    <Empty title="No such page">
      <p>
        <a href={hrefOf(['mocks'])}>Open the mocks</a>
      </p>
    </Empty>
  </Page>
);
