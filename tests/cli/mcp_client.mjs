// A client of the official Node SDK: node mcp_client.mjs stdio COMMAND … | http ADDRESS TOKEN; calls come in CALLS.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [kind, first, ...rest] = process.argv.slice(2);
const transport =
  kind === "stdio"
    ? new StdioClientTransport({ command: first, args: rest, env: process.env, stderr: "ignore" })
    : new StreamableHTTPClientTransport(new URL(first), {
        requestInit: { headers: { Authorization: `Bearer ${rest[0]}` } },
      });
const client = new Client({ name: "node probe", version: "1" });
await client.connect(transport);
const { tools } = await client.listTools();
const results = [];
for (const [name, args] of JSON.parse(process.env.CALLS)) results.push(await client.callTool({ name, arguments: args }));
console.log(JSON.stringify({ tools, results, instructions: client.getInstructions() }));
if (kind === "http") await transport.terminateSession();
await client.close();
