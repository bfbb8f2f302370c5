/** All rules by group: search and filters, effect and state, and bulk commands. */
import { useState } from 'preact/hooks';
import type { GroupRecord } from '../../client/shapes.ts';
import { Button } from '../parts/controls.tsx';
import { Command } from '../parts/copy-button.tsx';
import { ChoiceFilter, SearchFilter } from '../parts/filters.tsx';
import { Page } from '../parts/page.tsx';
import { ASK_AN_EDITOR, Empty, Shown } from '../parts/states.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import { choices, countText } from '../parts/words.ts';
import { dropEmpty, filtersBy } from '../state/filters.ts';
import { failureOf } from '../state/failure.ts';
import { navigate, hrefOf, place } from '../state/place.ts';
import { API_URL, mayEdit } from '../state/session.ts';
import { apiCommand } from '../state/api-command.ts';
import { notify } from '../state/toasts.ts';
import { groupOptions, useGroups } from './common/groups.ts';
import { dropUnsaved, unsavedNewRules } from './common/drafts.ts';
import { useRuleHits, WhereRulesAct } from './common/rule-hits.tsx';
import { RulesTabs, RuleTypes } from './common/rule-state.tsx';
import { FORMS, RULE_TYPES } from './forms/forms.ts';
import type { RuleType } from './forms/rule-form.ts';
import { BulkBar } from './list/bulk-bar.tsx';
import { ExportDialog } from './list/export-dialog.tsx';
import { GroupCells } from './list/group-cells.tsx';
import { EditGroup, NewGroup } from './list/group-dialog.tsx';
import { ImportDialog } from './list/import-dialog.tsx';
import { RuleCells } from './list/rule-cells.tsx';
import { NewRuleScreen } from './new-rule-screen.tsx';
import { RuleScreen } from './rule-screen.tsx';
import { TesterScreen } from './tester/tester-screen.tsx';
import { toggleSection, useRuleSections, type RuleFilters } from './list/rule-sections.ts';
import { SELECTED_MAX, useSelection } from './list/selection.ts';

const FILTERS = filtersBy('q', 'group', 'type', 'status');

const ROW_PX = 44;
/** In the address, rules without a group: an empty member would be omitted. */
const UNGROUPED = 'none';

const TYPES = [['', 'Any type'], ...RULE_TYPES.map((type) => [type, FORMS[type].title] as const)] as const;

const STATUSES = choices({ '': 'On or off', Active: 'On', Inactive: 'Off' });

type OpenDialog = 'import' | 'export' | 'new group' | GroupRecord | undefined;

/** The screens below `#/rules`. */
export function RulesScreens({ path }: { readonly path: readonly string[] }): JSX.Element {
  const [first] = path;
  if (first === undefined) return <RulesScreen />;
  if (first === 'bench') return <TesterScreen />;
  if (first === 'new') return <NewRuleScreen />;
  return <RuleScreen key={first} ruleId={first} />;
}

function RulesScreen(): JSX.Element {
  const { query } = place.value;
  const groups = useGroups();
  const sections = useRuleSections(filtersOf(query), groups);
  const selection = useSelection();
  const hits = useRuleHits();
  const [opened, setOpened] = useState<OpenDialog>();
  const known = groups.state.value.value ?? [];
  const total = sections.state.value.value?.total;
  const isEmpty = total === 0 && known.length === 0 && !sections.isFiltered;
  const close = (): void => setOpened(undefined);
  const changed = (): void => void sections.reload();
  return (
    <Page
      title="Rules"
      tabs={<RulesTabs current="list" />}
      actions={
        <>
          {!isEmpty && <Button onClick={() => setOpened('export')}>Export</Button>}
          {mayEdit.value && (
            <>
              <Button onClick={() => setOpened('import')}>Import</Button>
              <Button onClick={() => setOpened('new group')}>New group</Button>
              <a class="button primary" href={hrefOf(['rules', 'new'], { group: sections.filters.groupId })}>
                New rule
              </a>
            </>
          )}
        </>
      }
    >
      {mayEdit.value && <UnsavedNewRules />}
      <WhereRulesAct hits={hits} />
      {!isEmpty && (
        <search class="filters">
          <SearchFilter name="q" label="Find a rule" placeholder="Find by name or URL…" isFind />
          <ChoiceFilter name="type" label="Type" options={TYPES} />
          <ChoiceFilter
            name="group"
            label="Group"
            options={[...groupOptions(known, '', 'Any group'), [UNGROUPED, 'No group']]}
          />
          <ChoiceFilter name="status" label="On or off" options={STATUSES} />
          <span class="muted" role="status">
            {total !== undefined && countText(total, 'rule')}
          </span>
        </search>
      )}
      <Shown of={sections} what="the rules">
        {({ total: count }) =>
          isEmpty ? (
            <NoRules onImport={() => setOpened('import')} />
          ) : (
            <>
              {mayEdit.value && (
                <BulkBar
                  selection={selection}
                  shown={() => sections.loaded()}
                  total={count}
                  groups={known}
                  onChange={changed}
                  onSelectAll={() =>
                    void sections.firstRules(Math.min(count, SELECTED_MAX)).then(
                      (rules) => selection.add(rules),
                      (error: unknown) => notify(`Selecting failed: ${failureOf(error).message}`),
                    )
                  }
                />
              )}
              {sections.layout.value.count > 0 ? (
                <VirtualList
                  label="Rules"
                  count={sections.layout.value.count}
                  rowHeight={ROW_PX}
                  keyOf={(index) => sections.keyAt(index)}
                  isSelected={(index) => selection.rules.value.has(sections.ruleAt(index)?.id ?? '')}
                  row={(index) => {
                    const heading = sections.headingAt(index);
                    if (heading !== undefined) {
                      return <GroupCells section={heading} onEdit={setOpened} onChange={changed} />;
                    }
                    const rule = sections.ruleAt(index);
                    return (
                      <RuleCells
                        rule={rule}
                        hits={hits?.counts && (hits.counts.rules[rule?.id ?? ''] ?? 0)}
                        groupName={
                          sections.isFiltered
                            ? (known.find(({ id }) => id === rule?.groupId)?.name ?? 'No group')
                            : undefined
                        }
                        isSelected={selection.rules.value.has(rule?.id ?? '')}
                        onPick={(isRange) => void selection.pick(sections, index, isRange)}
                        onChange={(answer) => {
                          sections.replace(answer);
                          // The counts of its group.
                          void groups.reload();
                        }}
                      />
                    );
                  }}
                  onRange={(first, end) => sections.show(first, end)}
                  onOpen={(index) => {
                    const heading = sections.headingAt(index);
                    if (heading !== undefined) return toggleSection(heading.group?.id ?? '');
                    const rule = sections.ruleAt(index);
                    if (rule !== undefined) navigate(['rules', rule.id]);
                  }}
                  onKey={(event, index) => {
                    if (event.key !== ' ' || !mayEdit.value || sections.ruleAt(index) === undefined) return false;
                    void selection.pick(sections, index, event.shiftKey);
                    return true;
                  }}
                />
              ) : (
                <p class="muted">
                  No rules match these filters. {sections.isFiltered && <a href={hrefOf(['rules'])}>Show all</a>}
                </p>
              )}
            </>
          )
        }
      </Shown>
      {opened === 'import' && <ImportDialog onClose={close} onChange={changed} />}
      {opened === 'export' && (
        <ExportDialog selected={[...selection.rules.value.values()]} groups={known} onClose={close} />
      )}
      {opened === 'new group' && <NewGroup onClose={close} onChange={changed} />}
      {typeof opened === 'object' && <EditGroup group={opened} onClose={close} onChange={changed} />}
    </Page>
  );
}

/** The API refuses values it does not know, and the screen shows the refusal. */
function filtersOf(query: ReadonlyMap<string, string>): RuleFilters {
  const { q, group, type, status } = FILTERS.of(query);
  return {
    ...dropEmpty({ q, groupId: group, ruleType: type as RuleType, status: status as 'Active' }),
    ...(group === UNGROUPED ? { groupId: '' } : {}),
  };
}

const EXAMPLE = {
  name: 'Payments to staging',
  ruleType: 'Redirect',
  pairs: [
    {
      source: { key: 'Url', operator: 'Wildcard_Matches', value: 'https://pay.example.com/*' },
      destinationType: 'url',
      destination: 'https://staging.example.com/$1',
    },
  ],
};

/** Explains rules, and how to create the first. */
function NoRules({ onImport }: { readonly onImport: () => void }): JSX.Element {
  return (
    <Empty title="No rules yet">
      <p>
        A rule changes the requests it matches: it redirects, delays, blocks or rewrites them. The gateway applies rules
        to live traffic, and the rule tester shows their combined effect on a request.
      </p>
      {mayEdit.value ? (
        <>
          <p>Create the first one:</p>
          <RuleTypes />
          <p class="row">
            <Button onClick={onImport}>Import a file</Button>
            <span class="muted">from Requestly or Switchyard</span>
          </p>
          <Command text={apiCommand(`${API_URL}/rules`, JSON.stringify(EXAMPLE))} />
        </>
      ) : (
        <p>{ASK_AN_EDITOR}</p>
      )}
    </Empty>
  );
}

/** New rules that were never created: each can be resumed or discarded. */
function UnsavedNewRules(): JSX.Element {
  const [unsaved, setUnsaved] = useState(unsavedNewRules);
  return (
    <>
      {unsaved.map((rule) => (
        <p key={rule.draftName} class="bar" role="status">
          Unsaved changes: {rule.what}.
          <a href={rule.href} aria-label={`Resume the ${rule.what}`}>
            Resume
          </a>
          <Button
            label={`Discard the ${rule.what}`}
            onClick={() => {
              dropUnsaved(rule);
              setUnsaved(unsavedNewRules());
            }}
          >
            Discard
          </Button>
        </p>
      ))}
    </>
  );
}
