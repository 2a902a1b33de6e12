import { MCP_TRANSPORTS, type McpTransport, type rest } from '@tollgate/contracts';
import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  PrimaryColumn,
  Unique,
  UpdateDateColumn,
} from 'typeorm';

import { bigintColumn, MAX_NANO_USD_SQL, oneOf } from '../db/columns';
import { Organisation } from './organisation.entity';
import { RowSecret } from './row-secret';

export const MCP_SERVER_STATUSES = ['ACTIVE', 'DISABLED', 'ARCHIVED'] as const;
export type McpServerStatus = (typeof MCP_SERVER_STATUSES)[number];

/** Rules by kind; an absent kind allows everything. */
export type StoredMcpRules = Partial<Record<rest.McpRuleKind, rest.McpNameRules>>;

/** A tool server. `identifier` is the last segment of its path at the gateway. */
@Entity('mcp_server')
@Unique(['organisationId', 'id'])
@Unique(['organisationId', 'identifier'])
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@Check('mcp_server_transport_check', oneOf('transport', MCP_TRANSPORTS))
@Check('mcp_server_status_check', oneOf('status', MCP_SERVER_STATUSES))
@Check(
  'mcp_server_target_check',
  `CASE transport WHEN 'STDIO' THEN command IS NOT NULL ELSE url IS NOT NULL END`,
)
@Check('mcp_server_call_nano_usd_check', `call_nano_usd BETWEEN 0 AND ${MAX_NANO_USD_SQL}`)
export class McpServer extends RowSecret {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('text')
  identifier!: string;

  @Column('text')
  name!: string;

  @Column('text')
  transport!: McpTransport;

  @Column('text', { nullable: true })
  url!: string | null;

  /** The name of a command in the runner's own file. */
  @Column('text', { nullable: true })
  command!: string | null;

  /** Of command lines that earlier releases stored. Never run; emptied when a command is named. */
  @Column('jsonb', { default: [] })
  args!: string[];

  /** Not secret. */
  @Column('jsonb', { default: {} })
  headers!: Record<string, string>;

  /** Null in rows of earlier releases: BEARER with a secret, else NONE. */
  @Column('jsonb', { nullable: true })
  auth!: rest.McpAuth | null;

  @Column('integer', { default: 5_000 })
  connectTimeoutMs!: number;

  @Column('integer', { name: 'timeout_ms', default: 60_000 })
  idleTimeoutMs!: number;

  @Column({ ...bigintColumn, default: 0 })
  callNanoUsd!: bigint;

  /** Nano-USD per call by tool, as decimal strings. */
  @Column('jsonb', { default: {} })
  toolNanoUsd!: Record<string, string>;

  @Column('boolean', { default: false })
  chargeFailures!: boolean;

  @Column('jsonb', { default: {} })
  rules!: StoredMcpRules;

  @Column('jsonb', { default: [] })
  pinnedTools!: rest.McpToolPin[];

  /** Rises with each change of how the server is reached; re-sealing its secret is none. */
  @Column('integer', { default: 1 })
  connectionVersion!: number;

  @Column('text', { default: 'ACTIVE' })
  status!: McpServerStatus;

  /** Why an upgrade disabled the server. */
  @Column('text', { nullable: true })
  statusNote!: string | null;

  /** Where it processes requests, by a name of the organisation's; null: unknown. */
  @Column('text', { nullable: true })
  region!: string | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt!: Date;
}

/** How the gateway authenticates to a server. */
export function mcpAuthOf(
  row: Pick<McpServer, 'auth' | 'transport' | 'secretKeyId'>,
): rest.McpAuth {
  if (row.auth !== null) return row.auth;
  return { type: row.transport !== 'STDIO' && row.secretKeyId !== null ? 'BEARER' : 'NONE' };
}
