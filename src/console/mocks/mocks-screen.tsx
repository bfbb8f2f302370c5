/** All mocks: state, routes, version. */
import type { JSX } from 'preact';
import { Empty, Shown } from '../parts/states.tsx';
import { Page } from '../parts/page.tsx';
import { hrefOf } from '../place.ts';
import { useResource } from '../resource.ts';
import { api } from '../session.ts';
import { visibleLine } from '../visible-text.ts';

export function MocksScreen(): JSX.Element {
  const mocks = useResource(() => api().mocks.list(), []);
  return (
    <Page title="Mocks">
      <Shown of={mocks} what="the mocks">
        {({ records }) =>
          records.length === 0 ? (
            <Empty title="No mocks yet">
              <p>A mock is a server of its own address that answers as its routes say.</p>
            </Empty>
          ) : (
            <ul>
              {records.map(({ id, name }) => (
                <li key={id}>
                  <a href={hrefOf(['mocks', id])}>{visibleLine(name)}</a>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </Page>
  );
}
