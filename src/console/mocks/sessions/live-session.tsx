/** Shared by the session screens of mocks and of the gateway. */
import { Fragment, type ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Button } from '../../parts/controls.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Panes } from '../../parts/panes.tsx';
import { SafeBlock, SafeLine } from '../../parts/safe-text.tsx';
import { Facts } from '../../parts/section.tsx';
import { Empty, Shown } from '../../parts/states.tsx';
import { Cell, RowList } from '../../parts/virtual-list.tsx';
import { failureOf } from '../../state/failure.ts';
import type { Page, PageRequest } from '../../../model/queries.ts';
import { usePagedList, type PagedList } from '../../state/paged-list.ts';
import { hrefOf, navigate } from '../../state/place.ts';
import { usePolled } from '../../state/polled.ts';
import { useResource } from '../../state/resource.ts';
import { mayEdit } from '../../state/session.ts';
import { visibleLine } from '../../state/visible-text.ts';

const ROW_PX = 72;

interface ListedSession {
  readonly id: string;
  readonly label: string;
  readonly expiresAt: number;
}

interface SessionsProps<Row extends ListedSession> {
  /** The address of the list. */
  readonly at: readonly string[];
  readonly selected: string | undefined;
  readonly load: (page: PageRequest) => Promise<Page<Row>>;
  readonly about: (session: Row) => ComponentChildren;
  readonly counts: (session: Row) => ComponentChildren;
  readonly none: JSX.Element;
  readonly detail: (id: string, sessions: PagedList<Row>) => JSX.Element;
}

/** The live sessions, with the selected one beside the list. Reads them every two seconds: listing does not extend a session. */
export function SessionsFrame<Row extends ListedSession>(props: SessionsProps<Row>): JSX.Element {
  const { at, selected, load, about, counts, none, detail } = props;
  const sessions = usePagedList<Row>(load, [at.join('/')]);
  usePolled(sessions);
  return (
    <Shown of={sessions} what="the sessions">
      {({ total }) =>
        total === 0 && selected === undefined ? (
          none
        ) : (
          <Panes
            list={
              <RowList
                label="Sessions"
                rows={sessions}
                rowHeight={ROW_PX}
                idOf={({ id }) => id}
                selected={selected}
                onOpen={({ id }) => navigate([...at, id])}
                cells={(session) => (
                  <>
                    <Cell class="wide session-name">
                      <strong class="monospace">{session.id}</strong>
                      {session.label !== '' && <SafeLine text={session.label} max={80} />}
                      {about(session)}
                    </Cell>
                    <Cell class="session-counts w-7">{counts(session)}</Cell>
                    <Cell class="session-end w-7 muted">ends in {timeLeft(session.expiresAt, Date.now())}</Cell>
                  </>
                )}
              />
            }
            none="Select a session."
            back={{ label: 'All sessions', href: hrefOf(at) }}
            detail={selected && <Fragment key={selected}>{detail(selected, sessions)}</Fragment>}
          />
        )
      }
    </Shown>
  );
}

/** "42 s", "4 min", "3 h"; rounded down. @param expiresAt Milliseconds since 1970, like `now`. */
export function timeLeft(expiresAt: number, now: number): string {
  const seconds = Math.max(0, Math.floor((expiresAt - now) / 1_000));
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.floor(seconds / 60)} min` : `${Math.floor(seconds / 3_600)} h`;
}

interface Session {
  readonly id: string;
  readonly label: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly seed: number;
  readonly overlay: object;
  readonly warnings: readonly { readonly path: string; readonly message: string }[];
}

interface SessionProps<Of extends Session, End> {
  readonly sessionId: string;
  /** Reading extends the session: do not poll. */
  readonly read: () => Promise<Of>;
  /** The reason why the session is missing. */
  readonly gone: string;
  /** The address of its requests. */
  readonly traffic: string;
  /** Ended while it was shown. */
  readonly hasEnded?: boolean;
  readonly version?: (session: Of) => number;
  /** "3 requests, 1 miss · ends in 4 min" */
  readonly counts: (session: Of) => string;
  /** The ways in which a request can name it. */
  readonly forms: (session: Of) => readonly (readonly [name: string, text: string])[];
  readonly formsTitle: string;
  /** Between the forms and the overlay. */
  readonly children: (session: Of) => ComponentChildren;
  /** "its mock" */
  readonly differsFrom: string;
  readonly end: () => Promise<End>;
  readonly consequences: string;
  /** undefined: the answer was lost. */
  readonly report: (end: End) => ComponentChildren;
  readonly onEnded: () => void;
}

const GONE = 404;

/** The live session, or its report after it was ended here. */
export function OneSession<Of extends Session, End>(props: SessionProps<Of, End>): JSX.Element {
  const { sessionId, read, gone, report, onEnded } = props;
  const view = useResource<Of | null>(async () => {
    try {
      return await read();
    } catch (error) {
      if (failureOf(error).status === GONE) return null;
      throw error;
    }
  }, [sessionId]);
  const [end, setEnd] = useState<{ readonly report: ComponentChildren }>();
  if (end !== undefined) return <EndReport sessionId={sessionId}>{end.report}</EndReport>;
  return (
    <Shown of={view} what="the session">
      {(session) =>
        session === null ? (
          <Empty title={`Session ${visibleLine(sessionId, 40)} is not live`}>
            <p>{gone}</p>
          </Empty>
        ) : (
          <Live
            {...props}
            session={session}
            onReload={() => void view.reload()}
            onEnd={(left) => {
              setEnd({ report: report(left) });
              onEnded();
            }}
          />
        )
      }
    </Shown>
  );
}

interface LiveProps<Of extends Session, End> extends SessionProps<Of, End> {
  readonly session: Of;
  readonly onReload: () => void;
  readonly onEnd: (end: End) => void;
}

function Live<Of extends Session, End>(props: LiveProps<Of, End>): JSX.Element {
  const { session, traffic, hasEnded = false, version, counts, forms, formsTitle, children, differsFrom } = props;
  const { id, label, createdAt, seed, warnings } = session;
  const [isAsking, setAsking] = useState(false);
  const heading = useId();
  return (
    <section class="stack" aria-labelledby={heading}>
      <header class="spread version-head">
        <div>
          <h2 id={heading}>
            Session <span class="monospace">{id}</span>
          </h2>
          <p class="muted">
            {label !== '' && (
              <>
                <SafeLine text={label} /> ·{' '}
              </>
            )}
            created <Moment at={createdAt} /> ·{version !== undefined && ` v${version(session)} ·`} seed{' '}
            <span class="monospace">{seed}</span> <CopyButton text={String(seed)} what="the seed" />
          </p>
        </div>
        <div class="row">
          <a class="button plain" href={traffic}>
            Its traffic
          </a>
          <Button onClick={props.onReload}>Reload</Button>
          {mayEdit.value && !hasEnded && (
            <Button kind="danger" onClick={() => setAsking(true)}>
              End…
            </Button>
          )}
        </div>
      </header>
      {hasEnded ? (
        <p class="warning" role="status">
          Ended. This is its last known state.
        </p>
      ) : (
        <p>{counts(session)} without further use. Opening this page counts as use.</p>
      )}
      {warnings.length > 0 && (
        <ul class="warning">
          {warnings.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <code>{visibleLine(path)}</code> <SafeLine text={message} max={500} />
            </li>
          ))}
        </ul>
      )}
      <h3>{formsTitle}</h3>
      <Facts
        rows={forms(session).map(([name, text]) => [
          name,
          <>
            <code>{text}</code> <CopyButton text={text} what={`the session ${name.toLowerCase()}`} />
          </>,
        ])}
      />
      {children(session)}
      <h3>Overlay</h3>
      <p class="muted">Differences from {differsFrom}.</p>
      <SafeBlock text={JSON.stringify(session.overlay, null, 2)} />
      {isAsking && (
        <ConfirmDialog
          title={`End the session ${id}`}
          submit="End the session"
          what="Ending the session"
          send={props.end}
          onDone={props.onEnd}
          onClose={() => setAsking(false)}
        >
          {props.consequences}
        </ConfirmDialog>
      )}
    </section>
  );
}

interface NamesProps {
  readonly names: readonly ComponentChildren[];
  readonly none?: string;
}

export const Names = ({ names, none = 'None.' }: NamesProps): JSX.Element =>
  names.length === 0 ? (
    <p class="muted">{none}</p>
  ) : (
    <ul>
      {names.map((name, index) => (
        <li key={index}>{name}</li>
      ))}
    </ul>
  );

interface EndReportProps {
  readonly sessionId: string;
  readonly children: ComponentChildren;
}

/** The report of an ended session, shown once and not stored. */
function EndReport({ sessionId, children }: EndReportProps): JSX.Element {
  const head = useRef<HTMLHeadingElement>(null);
  const heading = useId();
  // The focused button is gone.
  useEffect(() => {
    head.current?.focus();
  }, []);
  return (
    <section class="stack" aria-labelledby={heading}>
      <h2 id={heading} ref={head} tabIndex={-1}>
        Session <span class="monospace">{sessionId}</span> has ended
      </h2>
      {children ?? <p class="warning">Its counts were lost when its process restarted.</p>}
    </section>
  );
}
