/** `switchyard sockets`: lists the open WebSockets of a mock or a session, sends messages to them, and closes them. */
import { Option, type Command } from 'commander';
import type { SocketPushInput } from '../model/mocks/sockets/open-socket.ts';
import { integerFrom, jsonValue, nonEmpty } from './option-values.ts';
import { openCommand, sayAnswer, type OpenOptions } from './open-command.ts';

interface SocketsOptions extends OpenOptions {
  readonly path?: string;
  readonly socket?: string;
  readonly text?: readonly string[];
  readonly messages?: SocketPushInput['messages'];
  readonly close?: number | true;
  readonly reason?: string;
}

export function addSocketsCommand(program: Command): void {
  openCommand(
    program,
    'sockets',
    'WebSockets',
    'send messages to open WebSockets of a mock, or close them; lists them by default',
  )
    .addOption(new Option('--path <path>', 'only those whose handshake had this path').argParser(nonEmpty))
    .addOption(new Option('--socket <id>', 'only this one').argParser(nonEmpty))
    .option('--text <texts...>', 'messages, each a text')
    .addOption(
      new Option(
        '--messages <json>',
        'messages, such as [{"data": "AA==", "encoding": "base64"}]: JSON, or @ and the name of a file',
      )
        .argParser(jsonValue)
        .conflicts('text'),
    )
    .addOption(
      new Option('--close [code]', 'close them after the messages (default code: 1000)').argParser(
        integerFrom(1_000, 4_999),
      ),
    )
    .option('--reason <text>', 'why they are closed')
    .action(
      async (
        mock: string,
        { session, path, socket, text, messages, close, reason, json, ...server }: SocketsOptions,
      ) => {
        const { withServer } = await import('./with-server.ts');
        const sent = messages ?? text?.map((data) => ({ data }));
        const closes = close ?? (reason === undefined ? undefined : true);
        const answer = await withServer<object>(server, async (client) => {
          const sockets = client.mocks.sockets(mock, session);
          if (sent === undefined && closes === undefined) return { open: await sockets.list() };
          return sockets.send({
            ...(path === undefined ? {} : { path }),
            ...(socket === undefined ? {} : { socketId: socket }),
            ...(sent === undefined ? {} : { messages: sent }),
            ...(closes === undefined
              ? {}
              : {
                  close: { ...(closes === true ? {} : { code: closes }), ...(reason === undefined ? {} : { reason }) },
                }),
          });
        });
        sayAnswer(answer, json);
      },
    );
}
