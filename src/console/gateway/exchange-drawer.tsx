/** One exchange: the rules that applied, the reasons of the others, and both messages. */
import { useState } from 'preact/hooks';
import type { ExchangeRecord, ExchangeSummary } from '../../client/shapes.ts';
import { draftRules } from '../../model/gateway/rule-drafts.ts';
import { Button } from '../parts/controls.tsx';
import { SaveButton } from '../parts/save-button.tsx';
import { BodyView, HeaderList } from '../parts/message.tsx';
import { RequestLine, SafeLine, SafeParagraph, StatusBadge } from '../parts/safe-text.tsx';
import { Section } from '../parts/section.tsx';
import { countText, exactTimeText } from '../parts/words.ts';
import { reasonText, RuleLists } from '../rules/tester/evaluation.tsx';
import { hrefOf } from '../state/place.ts';
import { api, mayEdit } from '../state/session.ts';
import { visibleLine } from '../state/visible-text.ts';
import { durationText } from '../traffic/durations.ts';
import { FeedDrawer } from '../traffic/feed-row.tsx';
import type { OpenRequest } from '../traffic/feed-screen.tsx';
import type { AnyFeed } from '../traffic/traffic-feed.ts';
import { MakeMock } from './make-mock.tsx';
import { OutcomeBadge, placeOf } from './outcome.tsx';

interface DrawerProps extends OpenRequest<ExchangeSummary> {
  readonly feed: AnyFeed;
}

export const ExchangeDrawer = (props: DrawerProps): JSX.Element => (
  <FeedDrawer<ExchangeSummary, ExchangeRecord>
    {...props}
    noun="exchange"
    load={() => api().gateway.request(props.id)}
    title={({ method, url }) => <RequestLine method={method} target={url} max={500} />}
    facts={(exchange) => <Facts exchange={exchange} />}
  >
    {(exchange) => <Details exchange={exchange} />}
  </FeedDrawer>
);

function Facts({ exchange }: { readonly exchange: ExchangeSummary }): JSX.Element {
  const { time, status, outcome, user, ms, problem, session, sessionLabel, attached } = exchange;
  return (
    <>
      <StatusBadge status={status} {...(status === 0 ? { text: 'no answer' } : {})} />
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
    </>
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
    number,
  } = exchange;
  const { requestHeaders, requestBody, responseHeaders, responseBody } = exchange;
  const { host } = placeOf(exchange);
  const [isMaking, setMaking] = useState(false);
  return (
    <>
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
        <SaveButton
          name={`exchange-${number}.har`}
          load={() => api().gateway.requestsAsHar({ before: number + 1, limit: 1 })}
        >
          Save as HAR
        </SaveButton>
      </div>
      {reason !== undefined && <SafeParagraph class="warning" text={reason} max={500} />}
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
      <Section title="Time">
        <p>
          {durationText(ms)} until the response headers were sent
          {delayMs > 0 && `, including ${durationText(delayMs)} of a Delay rule`}
          {upstreamMs !== undefined && `, including ${durationText(upstreamMs)} of the upstream`}
          {totalMs !== undefined && `; ${durationText(totalMs)} until its end`}. Rules of version {version}.
        </p>
      </Section>
      <Section title="Request">
        <p class="muted">As sent by the client; credentials are masked.</p>
        <HeaderList headers={requestHeaders} />
        <KeptBody body={requestBody} fileName={`request-${number}.bin`} />
      </Section>
      <Section title="Answer">
        <p>
          <StatusBadge status={status} /> <SafeLine text={statusText} max={200} />
        </p>
        <HeaderList headers={responseHeaders} />
        <KeptBody body={responseBody} fileName={`answer-${number}.bin`} />
        {upstream !== undefined && (
          <details>
            <summary>
              Upstream response: <StatusBadge status={upstream.status} />
            </summary>
            <HeaderList headers={upstream.headers} />
            {upstream.body !== undefined && <BodyView {...upstream} fileName="upstream.bin" />}
          </details>
        )}
      </Section>
      {isMaking && <MakeMock host={host} session={session} onClose={() => setMaking(false)} />}
    </>
  );
}

interface KeptBodyProps {
  readonly body: ExchangeRecord['requestBody'];
  readonly fileName: string;
}

const KeptBody = ({ body, fileName }: KeptBodyProps): JSX.Element =>
  body === undefined ? (
    <p class="muted">
      The body was not recorded. See <a href={hrefOf(['gateway', 'settings'])}>Settings</a>.
    </p>
  ) : (
    <BodyView {...body} fileName={fileName} />
  );

const PER_PAGE = 10;

function WhatRulesDid({ exchange }: { readonly exchange: ExchangeRecord }): JSX.Element {
  const { steps, skippedCount, skippedVersion, version, outcome } = exchange;
  const none = outcome === 'tunnelled' ? 'Tunnels are not decrypted.' : 'No rules applied.';
  return (
    <RuleLists
      of={exchange}
      version={skippedVersion}
      perPage={PER_PAGE}
      applied={(rules) => (
        <Section title="Applied rules" class="stack traffic-why">
          {steps.length === 0 ? <p class="muted">{none}</p> : rules}
        </Section>
      )}
      others={(rules) => (
        <details>
          <summary>{countText(skippedCount, 'rule')} did not apply</summary>
          {skippedVersion !== version && <p class="muted">Reasons refer to the current rules, which changed since.</p>}
          {rules}
        </details>
      )}
    />
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
    <ul class="stack tight">
      {draftRules(exchange).map(({ ruleType }) => (
        <li key={ruleType}>
          <a href={hrefOf(['rules', 'new'], { type: ruleType, exchange: exchange.id })}>{WORDS[ruleType]}</a>
        </li>
      ))}
    </ul>
  </details>
);
