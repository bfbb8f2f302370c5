/** All rules by group: search and filters, what each does and whether it acts, and what is done to many at once. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { GroupRecord } from '../../client/shapes.ts';
import { Button, SelectField, TextField } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { Shown } from '../parts/states.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import { go, hrefOf, place, refine } from '../state/place.ts';
import { useSearchText } from '../state/search-text.ts';
import { mayEdit } from '../state/session.ts';
import { tell } from '../state/toasts.ts';
import { failureOf } from '../state/failure.ts';
import { FORMS, RULE_TYPES } from './forms/forms.ts';
import type { RuleType } from './forms/rule-form.ts';
import { groupOptions, useGroups } from './common/groups.ts';
import { ExportDialog } from './list/export-dialog.tsx';
import { BulkBar } from './list/bulk-bar.tsx';
import { GroupCells } from './list/group-cells.tsx';
import { EditGroup, NewGroup } from './list/group-dialog.tsx';
import { ImportDialog } from './list/import-dialog.tsx';
import { RuleCells } from './list/rule-cells.tsx';
import { toggleSection, useRuleSections, type RuleFilters } from './list/rule-sections.ts';
import { SELECTED_MAX, useSelection } from './list/selection.ts';
import { UnsavedNewRules } from './list/unsaved-new-rules.tsx';
import { NoRules } from './no-rules.tsx';
import { RulesTabs } from './rules-tabs.tsx';

const ROW_PX = 44;
/** In the address, for rules of no group: an empty member would be left out. */
const UNGROUPED = 'none';

const TYPES = [['', 'Any type'], ...RULE_TYPES.map((type) => [type, FORMS[type].title] as const)] as const;

const STATUSES = [
  ['', 'On or off'],
  ['Active', 'On'],
  ['Inactive', 'Off'],
] as const;

type Opened = 'import' | 'export' | 'new group' | GroupRecord | undefined;

export function RulesScreen(): JSX.Element {
  const { query } = place.value;
  const groups = useGroups();
  const sections = useRuleSections(filtersOf(query), groups);
  const selection = useSelection();
  const search = useSearchText('q');
  const [opened, setOpened] = useState<Opened>();
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
      {!isEmpty && (
        <search class="filters">
          <TextField
            label="Find a rule"
            hiddenLabel
            type="search"
            placeholder="Find by name or URL…"
            isFind
            {...search}
          />
          <SelectField
            label="Type"
            hiddenLabel
            value={query.get('type') ?? ''}
            options={TYPES}
            onChange={(type) => refine({ type })}
          />
          <SelectField
            label="Group"
            hiddenLabel
            value={query.get('group') ?? ''}
            options={[
              ...groupOptions(known, query.get('group') === UNGROUPED ? '' : (query.get('group') ?? ''), 'Any group'),
              [UNGROUPED, 'In no group'],
            ]}
            onChange={(group) => refine({ group })}
          />
          <SelectField
            label="On or off"
            hiddenLabel
            value={query.get('status') ?? ''}
            options={STATUSES}
            onChange={(status) => refine({ status })}
          />
          <span class="muted" role="status">
            {total !== undefined && `${total.toLocaleString('en')} ${total === 1 ? 'rule' : 'rules'}`}
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
                      (error: unknown) => tell(`Nothing was selected: ${failureOf(error).message}`),
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
                    if (rule !== undefined) go(['rules', rule.id]);
                  }}
                  onKey={(event, index) => {
                    if (event.key !== ' ' || !mayEdit.value || sections.ruleAt(index) === undefined) return false;
                    void selection.pick(sections, index, event.shiftKey);
                    return true;
                  }}
                />
              ) : (
                <p class="muted">
                  No rule is like that. {sections.isFiltered && <a href={hrefOf(['rules'])}>Show all</a>}
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

/** What an address says beyond what the API takes is refused by it, and shown. */
function filtersOf(query: ReadonlyMap<string, string>): RuleFilters {
  const group = query.get('group');
  const q = query.get('q');
  const type = query.get('type');
  const status = query.get('status');
  return {
    ...(q === undefined ? {} : { q }),
    ...(group === undefined ? {} : { groupId: group === UNGROUPED ? '' : group }),
    ...(type === undefined ? {} : { ruleType: type as RuleType }),
    ...(status === undefined ? {} : { status: status as 'Active' }),
  };
}
