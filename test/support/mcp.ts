/** Clients of the Model Context Protocol: the official one, in both revisions and over both transports. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { CLI, type TestServer } from './server.ts';

/** Calls a tool without the library: one request, as the protocol has no sessions here. */
export async function postTool(
  server: TestServer,
  key: string | undefined,
  name: string,
  input: object,
): Promise<Posted> {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } };
  const { status, json } = await server.request('POST', '/mcp', { key, body });
  const { text = '' } = json.result?.content?.[0] ?? {};
  return {
    status,
    text,
    isError: json.error !== undefined || json.result?.isError === true,
    error: json.error?.message,
  };
}

interface Posted {
  readonly status: number;
  readonly text: string;
  readonly isError: boolean;
  /** Of the protocol: the tool was not called. */
  readonly error: string | undefined;
}

/** The current revision, and the one before. */
export const REVISIONS = ['2026-07-28', '2025-11-25'] as const;
export type Revision = (typeof REVISIONS)[number];

export interface Called {
  readonly text: string;
  readonly isError: boolean;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read any answer
  readonly data: any;
}

export class McpClient {
  readonly client: Client;

  private constructor(client: Client) {
    this.client = client;
  }

  static async http(
    port: number,
    headers: Record<string, string>,
    revision: Revision = REVISIONS[0],
  ): Promise<McpClient> {
    const url = new URL(`http://127.0.0.1:${port}/mcp`);
    return McpClient.#connected(new StreamableHTTPClientTransport(url, { requestInit: { headers } }), revision);
  }

  /** @param args Follow `switchyard mcp`. */
  static async stdio(
    args: readonly string[],
    { key, cwd, revision = REVISIONS[0] }: { key?: string; cwd?: string; revision?: Revision },
  ): Promise<McpClient> {
    const env = { PATH: process.env['PATH'] ?? '', ...(key === undefined ? {} : { SWITCHYARD_API_KEY: key }) };
    const command = {
      command: process.execPath,
      args: [CLI, 'mcp', ...args],
      env,
      ...(cwd === undefined ? {} : { cwd }),
    };
    return McpClient.#connected(new StdioClientTransport(command), revision);
  }

  static async #connected(
    transport: StreamableHTTPClientTransport | StdioClientTransport,
    revision: Revision,
  ): Promise<McpClient> {
    const mode = revision === REVISIONS[0] ? { pin: revision } : ('legacy' as const);
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
    await client.connect(transport);
    return new McpClient(client);
  }

  async names(): Promise<string[]> {
    return (await this.client.listTools()).tools.map(({ name }) => name);
  }

  async call(name: string, input: object = {}): Promise<Called> {
    const { content, isError = false } = await this.client.callTool({ name, arguments: { ...input } });
    const [first] = content as { text: string }[];
    const { text = '' } = first ?? {};
    const json = JSON.parse(text.replace(/^Recorded data[^\n]*\n/, '')) as { recorded?: object };
    const { recorded, ...own } = json;
    return { text, isError, data: { ...own, ...recorded } };
  }

  /** The data of what must not be an error. */
  async ok(name: string, input: object = {}): Promise<Called['data']> {
    const called = await this.call(name, input);
    if (called.isError) throw new Error(`${name} failed: ${called.text}`);
    return called.data;
  }

  /** Both calls of a change. */
  async confirm(name: string, input: object): Promise<Called['data']> {
    const { confirm } = await this.ok(name, input);
    return this.ok(name, { ...input, confirm });
  }

  close(): Promise<void> {
    return this.client.close();
  }
}
