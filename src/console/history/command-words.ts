/** What was done, in words. */

/** In the order of a filter's choices. */
export const COMMAND_WORDS: ReadonlyMap<string, string> = new Map([
  ['mock.create', 'Created a mock'],
  ['mock.import', 'Imported a mock'],
  ['mock.update', 'Renamed or described a mock'],
  ['mock.start', 'Started a mock'],
  ['mock.stop', 'Stopped a mock'],
  ['mock.save', 'Saved a version'],
  ['mock.discard', 'Discarded unsaved changes'],
  ['mock.restore', 'Restored a version'],
  ['mock.delete', 'Deleted a mock'],
  ['mock.stage', 'Replaced the working copy'],
  ['mock.stage.import', 'Replaced the working copy by a file'],
  ['mock.route.create', 'Added a route'],
  ['mock.route.update', 'Changed a route'],
  ['mock.route.delete', 'Removed a route'],
  ['mock.route.order', 'Moved routes'],
  ['mock.response.create', 'Added a response'],
  ['mock.response.update', 'Changed a response'],
  ['mock.response.delete', 'Removed a response'],
  ['mock.file', 'Took over a file'],
  ['mock.file.remove', 'Ended with its file'],
  ['rule.create', 'Created a rule'],
  ['rule.update', 'Changed rules'],
  ['rule.delete', 'Deleted rules'],
  ['rule.import', 'Imported rules'],
  ['group.create', 'Created a group'],
  ['group.update', 'Changed a group'],
  ['group.delete', 'Deleted a group'],
]);

/** Of a newer server: as it is named there. */
export const commandText = (command: string): string => COMMAND_WORDS.get(command) ?? command;
