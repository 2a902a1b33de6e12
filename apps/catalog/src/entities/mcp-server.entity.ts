import { MCP_TRANSPORTS, type McpTransport } from '@tollgate/contracts';
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

import { oneOf } from '../db/columns';
import { Organisation } from './organisation.entity';

export const MCP_SERVER_STATUSES = ['ACTIVE', 'DISABLED', 'ARCHIVED'] as const;
export type McpServerStatus = (typeof MCP_SERVER_STATUSES)[number];

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
export class McpServer {
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

  @Column('text', { nullable: true })
  command!: string | null;

  @Column('jsonb', { default: [] })
  args!: string[];

  /** Not secret. */
  @Column('jsonb', { default: {} })
  headers!: Record<string, string>;

  @Column('text', { nullable: true })
  secretKeyId!: string | null;

  @Column('bytea', { nullable: true })
  secretNonce!: Buffer | null;

  @Column('bytea', { nullable: true })
  secretCiphertext!: Buffer | null;

  @Column('bytea', { nullable: true })
  secretTag!: Buffer | null;

  @Column('text', { nullable: true })
  secretPreview!: string | null;

  @Column('integer', { default: 60_000 })
  timeoutMs!: number;

  @Column('text', { default: 'ACTIVE' })
  status!: McpServerStatus;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt!: Date;
}
