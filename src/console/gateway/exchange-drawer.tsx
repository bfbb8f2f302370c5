/** One exchange: the rules that applied, the reasons of the others, and both messages. */
import { useState } from 'preact/hooks';
import type { ExchangeRecord, ExchangeSummary } from '../../client/shapes.ts';
import { draftRules } from '../../model/gateway/rule-drafts.ts';
import { Omitted } from '../mocks/upstream/omitted.tsx';
import { bytesOf, download } from '../parts/body-text.ts';
import { Button } from '../parts/controls.tsx';
import { Drawer } from '../parts/dialog.tsx';
import { SafeLine } from '../parts/safe-text.tsx';
import { FailureBox, Shown } from '../parts/states.tsx';
import { countText, exactTimeText, numberText, statusClass } from '../parts/words.ts';
import { useNamedRules } from '../rules/common/named-rules.ts';
import { ActingRule, reasonText, SkippedRule } from '../rules/tester/evaluation.tsx';
import { hrefOf } from '../state/place.ts';
import { useResource } from '../state/resource.ts';
import { api, mayEdit } from '../state/session.ts';
import { visibleLine } from '../state/visible-text.ts';
import { useWrite } from '../state/write.ts';
import { durationText } from '../traffic/durations.ts';
import type { Opened } from '../traffic/feed-screen.tsx';
import { BodyView, HeaderList } from '../traffic/message.tsx';
import type { ExchangeFeed } from './exchange-feed.ts';
import { MakeMock } from './make-mock.tsx';
import { OutcomeBadge, placeOf } from './outcome.tsx';

interface DrawerProps extends Omit<Opened<ExchangeSummary>, 'id'> {
  readonly feed: ExchangeFeed;
  readonly exchangeId: string;
}

export function ExchangeDrawer({ feed, exchangeId, life, summary, onClose }: DrawerProps): JSX.Element {
  // Loaded once: after a restart of the gateway the same id may mean another exchange.
  const [isOfNow] = useState(life === feed.life);
  const exchange = useResource(() => api().gateway.request(exchangeId), [exchangeId]);
  const known = summary ?? exchange.state.value.value;
  return (
    <Drawer title={known === undefined ? `Exchange ${exchangeId}` : <Title exchange={known} />} onClose={onClose}>
      {summary !== undefined && <Facts exchange={summary} />}
      {isOfNow ? (
        <Shown of={exchange} what="the exchange">
          {(loaded) => (
            <>
              {summary === undefined && <Facts exchange={loaded} />}
              <Details exchange={loaded} />
            </>
          )}
        </Shown>
      ) : (
        <p class="warning">Recorded before the last reset: its details are gone.</p>
      )}
    </Drawer>
  );
}

const Title = ({ exchange: { method, url } }: { readonly exchange: ExchangeSummary }): JSX.Element => (
  <span class="monospace">
    {visibleLine(method, 32)} <SafeLine text={url} max={500} />
  </span>
);

function Facts({ exchange }: { readonly exchange: ExchangeSummary }): JSX.Element {
  const { time, status, outcome, user, ms, problem, session, sessionLabel, attached } = exchange;
  return (
    <p class="row traffic-facts">
      <span class={statusClass(status)}>{status === 0 ? 'no answer' : status}</span>
      <OutcomeBadge outcome={outcome} />
      <span class="muted">
        {exactTimeText(time)} · {durationText(ms)} · by {visibleLine(user, 60)}
      </span>
      {session !== undefined && (
        <a href={hrefOf(['gateway', 'sessions', session])}>{visibleLine(sessionLabel ?? `session ${session}`, 80)}</a>
      )}
      {attached !== undefined && (
        <a href={hrefOf(['mocks', attached])}>answered by the mock {visibleLine(attached, 40)}</a>
      )}
      {problem !== undefined && <span class="error">{visibleLine(problem, 60)}</span>}
    </p>
  );
}

function Details({ exchange }: { readonly exchange: ExchangeRecord }): JSX.Element {
  const {
    reason,
    ruleProblems = [],
    delayMs,
    ms,
    upstreamMs,
    totalMs,
    version,
    status,
    statusText,
    upstream,
    session,
  } = exchange;
  const { requestHeaders, requestBody, responseHeaders, responseBody } = exchange;
  const { host } = placeOf(exchange);
  const [isMaking, setMaking] = useState(false);
  return (
    <div class="stack">
      <div class="row">
        {mayEdit.value && (
          <>
            <MakeRule exchange={exchange} />
            <Button onClick={() => setMaking(true)}>Create mock from this host</Button>
          </>
        )}
        <a class="button plain" href={hrefOf(['gateway'], { host })}>
          Only this host
        </a>
        <SaveHar exchange={exchange} />
      </div>
      {reason !== undefined && (
        <p class="warning">
          <SafeLine text={reason} max={500} />
        </p>
      )}
      {ruleProblems.map((problem) => (
        <p key={problem.ruleId} class="warning">
          A rule had no effect. It <SafeLine text={reasonText(problem)} max={200} />
          {problem.actual !== undefined && (
            <>
              : <SafeLine text={problem.actual} max={500} />
            </>
          )}
        </p>
      ))}
      <WhatRulesDid exchange={exchange} />
      <section class="stack" aria-labelledby="exchange-time">
        <h3 id="exchange-time">Time</h3>
        <p>
          {durationText(ms)} until the response headers were sent
          {delayMs > 0 && `, including ${durationText(delayMs)} of a Delay rule`}
          {upstreamMs !== undefined && `, including ${durationText(upstreamMs)} of the upstream`}
          {totalMs !== undefined && `; ${durationText(totalMs)} until its end`}. Rules of version {version}.
        </p>
      </section>
      <section class="stack" aria-labelledby="exchange-request">
        <h3 id="exchange-request">Request</h3>
        <p class="muted">As sent by the client; credentials are masked.</p>
        <HeaderList headers={requestHeaders} />
        <KeptBody body={requestBody} name={`request-${exchange.number}.bin`} />
      </section>
      <section class="stack" aria-labelledby="exchange-response">
        <h3 id="exchange-response">Answer</h3>
        <p>
          <span class={statusClass(status)}>{status}</span> <SafeLine text={statusText} max={200} />
        </p>
        <HeaderList headers={responseHeaders} />
        <KeptBody body={responseBody} name={`answer-${exchange.number}.bin`} />
        {upstream !== undefined && (
          <details>
            <summary>
              Upstream response: <span class={statusClass(upstream.status)}>{upstream.status}</span>
            </summary>
            <HeaderList headers={upstream.headers} />
            {upstream.body !== undefined && (
              <BodyView body={upstream.body} bodyEncoding={upstream.bodyEncoding} name="upstream.bin" />
            )}
          </details>
        )}
      </section>
      {isMaking && <MakeMock host={host} session={session} onClose={() => setMaking(false)} />}
    </div>
  );
}

interface KeptBodyProps {
  readonly body: ExchangeRecord['requestBody'];
  /** The file name for saving. */
  readonly name: string;
}

function KeptBody({ body, name }: KeptBodyProps): JSX.Element {
  if (body === undefined) {
    return (
      <p class="muted">
        The body was not recorded. See <a href={hrefOf(['gateway', 'settings'])}>Settings</a>.
      </p>
    );
  }
  return (
    <>
      <BodyView body={body.body} bodyEncoding={body.bodyEncoding} name={name} />
      <Omitted body={body} />
    </>
  );
}

const PER_PAGE = 10;

function WhatRulesDid({ exchange }: { readonly exchange: ExchangeRecord }): JSX.Element {
  const { steps, skipped, skippedCount, skippedVersion, version, outcome } = exchange;
  const [shownCount, setShownCount] = useState(PER_PAGE);
  const shown = skipped.slice(0, shownCount);
  const rules = useNamedRules(
    [...steps, ...shown].map(({ ruleId }) => ruleId),
    skippedVersion,
  );
  return (
    <>
      <section class="stack traffic-why" aria-labelledby="exchange-acting">
        <h3 id="exchange-acting">Applied rules</h3>
        {steps.length === 0 ? (
          <p class="muted">{outcome === 'tunnelled' ? 'Tunnels are not decrypted.' : 'No rules applied.'}</p>
        ) : (
          <ol class="stack">
            {steps.map((step, index) => (
              <ActingRule key={index} of={step} rule={rules.get(step.ruleId)} />
            ))}
          </ol>
        )}
      </section>
      {skippedCount > 0 && (
        <details>
          <summary>{countText(skippedCount, 'rule')} did not apply</summary>
          {skippedVersion !== version && <p class="muted">Reasons refer to the current rules, which changed since.</p>}
          <ul class="stack">
            {shown.map((each, index) => (
              <SkippedRule key={index} of={each} rule={rules.get(each.ruleId)} />
            ))}
          </ul>
          <p class="row">
            {skipped.length > shownCount && (
              <Button onClick={() => setShownCount(shownCount + PER_PAGE)}>Show more</Button>
            )}
            {skippedCount > shown.length && (
              <span class="muted">{numberText(skippedCount - shown.length)} more did not apply.</span>
            )}
          </p>
        </details>
      )}
    </>
  );
}

function SaveHar({ exchange: { number } }: { readonly exchange: ExchangeRecord }): JSX.Element {
  const write = useWrite();
  const save = async (): Promise<void> => {
    const text = await write.run(() => api().gateway.requestsAsHar({ before: number + 1, limit: 1 }));
    if (text !== undefined) download(bytesOf(text), `exchange-${number}.har`);
  };
  return (
    <>
      <Button busy={write.isRunning.value} onClick={() => void save()}>
        Save as HAR
      </Button>
      <FailureBox failure={write.failure.value} what="Saving the file" />
    </>
  );
}

const WORDS = {
  Response: 'Respond without the upstream',
  Redirect: 'Redirect to another URL',
  Headers: 'Change headers',
  Delay: 'Delay',
  Cancel: 'Block',
} as const;

/** Links from an exchange to a prefilled rule editor. Only saving there stores a rule. */
const MakeRule = ({ exchange }: { readonly exchange: ExchangeRecord }): JSX.Element => (
  <details class="gateway-menu">
    <summary class="button primary">Create rule</summary>
    <ul>
      {draftRules(exchange).map(({ ruleType }) => (
        <li key={ruleType}>
          <a href={hrefOf(['rules', 'new'], { type: ruleType, exchange: exchange.id })}>{WORDS[ruleType]}</a>
        </li>
      ))}
    </ul>
  </details>
);
