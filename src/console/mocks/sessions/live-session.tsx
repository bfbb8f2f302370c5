/** Shared by the session screens of mocks and of the gateway. */
import { Fragment, type ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../../parts/controls.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { FormDialog } from '../../parts/dialog.tsx';
import { Moment } from '../../parts/moment.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import { Empty, Shown } from '../../parts/states.tsx';
import { Cell, VirtualList } from '../../parts/virtual-list.tsx';
import { failureOf } from '../../state/failure.ts';
import type { PagedList } from '../../state/paged-list.ts';
import { useResource } from '../../state/resource.ts';
import { mayEdit } from '../../state/session.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { useWrite } from '../../state/write.ts';

const ROW_PX = 72;

interface ListProps<Row extends { readonly id: string }> {
  readonly sessions: PagedList<Row>;
  readonly total: number;
  readonly selected: string | undefined;
  readonly onOpen: (id: string) => void;
  readonly cells: (session: Row) => ComponentChildren;
}

export function SessionList<Row extends { readonly id: string }>(props: ListProps<Row>): JSX.Element {
  const { sessions, total, selected, onOpen, cells } = props;
  return (
    <VirtualList
      label="Sessions"
      count={total}
      rowHeight={ROW_PX}
      keyOf={(index) => sessions.at(index)?.id ?? String(index)}
      isSelected={(index) => selected !== undefined && sessions.at(index)?.id === selected}
      onRange={(first, end) => sessions.show(first, end)}
      onOpen={(index) => {
        const session = sessions.at(index);
        if (session !== undefined) onOpen(session.id);
      }}
      row={(index) => {
        const session = sessions.at(index);
        return session === undefined ? <Cell>…</Cell> : cells(session);
      }}
    />
  );
}

interface SessionProps<View, End> {
  readonly sessionId: string;
  /** Reading extends the session: do not poll. */
  readonly read: () => Promise<View>;
  /** The reason why the session is missing. */
  readonly gone: string;
  readonly detail: (
    view: View,
    act: { readonly onReload: () => void; readonly onEnd: (end: End) => void },
  ) => JSX.Element;
  readonly report: (end: End) => JSX.Element;
  readonly onEnded: () => void;
}

/** The live session, or its report after it was ended here. */
export function OneSession<View, End>(props: SessionProps<View, End>): JSX.Element {
  const { sessionId, read, gone, detail, report, onEnded } = props;
  const view = useResource<View | null>(() => unlessGone(read), [sessionId]);
  const [end, setEnd] = useState<End>();
  if (end !== undefined) return report(end);
  return (
    <Shown of={view} what="the session">
      {(loaded) =>
        loaded === null ? (
          <Empty title={`Session ${visibleLine(sessionId, 40)} is not live`}>
            <p>{gone}</p>
          </Empty>
        ) : (
          detail(loaded, {
            onReload: () => void view.reload(),
            onEnd(left) {
              setEnd(() => left);
              onEnded();
            },
          })
        )
      }
    </Shown>
  );
}

const GONE = 404;

async function unlessGone<View>(read: () => Promise<View>): Promise<View | null> {
  try {
    return await read();
  } catch (error) {
    if (failureOf(error).status === GONE) return null;
    throw error;
  }
}

interface HeadProps {
  readonly anchor: string;
  readonly session: {
    readonly id: string;
    readonly label: string;
    readonly createdAt: number;
    readonly seed: number;
  };
  readonly version?: number;
  /** The address of its requests. */
  readonly traffic: string;
  readonly hasEnded?: boolean;
  readonly onReload: () => void;
  readonly onEnd: () => void;
}

export function SessionHead(props: HeadProps): JSX.Element {
  const { anchor, session, version, traffic, hasEnded = false, onReload, onEnd } = props;
  const { id, label, createdAt, seed } = session;
  return (
    <header class="spread version-head">
      <div>
        <h2 id={anchor}>
          Session <span class="monospace">{id}</span>
        </h2>
        <p class="muted">
          {label !== '' && (
            <>
              <SafeLine text={label} /> ·{' '}
            </>
          )}
          created <Moment at={createdAt} /> ·{version !== undefined && ` v${version} ·`} seed{' '}
          <span class="monospace">{seed}</span> <CopyButton text={String(seed)} what="the seed" />
        </p>
      </div>
      <div class="row">
        <a class="button plain" href={traffic}>
          Its traffic
        </a>
        <Button onClick={onReload}>Reload</Button>
        {mayEdit.value && !hasEnded && (
          <Button kind="danger" onClick={onEnd}>
            End…
          </Button>
        )}
      </div>
    </header>
  );
}

interface WarningsProps {
  readonly warnings: readonly { readonly path: string; readonly message: string }[];
}

/** Warns about parts of an overlay without effect. */
export const SessionWarnings = ({ warnings }: WarningsProps): JSX.Element | null =>
  warnings.length === 0 ? null : (
    <ul class="warning">
      {warnings.map(({ path, message }) => (
        <li key={`${path} ${message}`}>
          <code>{visibleLine(path)}</code> <SafeLine text={message} max={500} />
        </li>
      ))}
    </ul>
  );

/** The ways in which a request can name the session. */
export const SessionForms = ({
  forms,
}: {
  readonly forms: readonly (readonly [name: string, text: string])[];
}): JSX.Element => (
  <dl class="facts">
    {forms.map(([name, text]) => (
      <Fragment key={name}>
        <dt>{name}</dt>
        <dd>
          <code>{text}</code> <CopyButton text={text} what={`the session ${name.toLowerCase()}`} />
        </dd>
      </Fragment>
    ))}
  </dl>
);

interface EndDialogProps<End> {
  readonly sessionId: string;
  readonly end: () => Promise<End>;
  readonly onEnd: (end: End) => void;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Confirms ending a session: its test receives 404 afterwards. */
export function EndDialog<End>({ sessionId, end, onEnd, onClose, children }: EndDialogProps<End>): JSX.Element {
  const write = useWrite();
  const submit = async (): Promise<void> => {
    const left = await write.run(end);
    if (left !== undefined) onEnd(left);
  };
  return (
    <FormDialog
      title={`End the session ${sessionId}`}
      submit="End the session"
      danger
      onSubmit={() => void submit()}
      onClose={onClose}
      write={write}
      what="Ending the session"
    >
      <p>{children}</p>
    </FormDialog>
  );
}

interface EndReportProps {
  readonly anchor: string;
  readonly sessionId: string;
  readonly children: ComponentChildren;
}

/** The report of an ended session, shown once and not stored. @param children Absent when the answer was lost. */
export function EndReport({ anchor, sessionId, children }: EndReportProps): JSX.Element {
  const head = useRef<HTMLHeadingElement>(null);
  // The focused button is gone.
  useEffect(() => {
    head.current?.focus();
  }, []);
  return (
    <section class="stack" aria-labelledby={anchor}>
      <h2 id={anchor} ref={head} tabIndex={-1}>
        Session <span class="monospace">{sessionId}</span> has ended
      </h2>
      {children ?? <p class="warning">Its counts were lost when its process restarted.</p>}
    </section>
  );
}
