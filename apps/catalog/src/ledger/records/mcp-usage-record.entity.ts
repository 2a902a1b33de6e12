import { OUTCOMES, type Outcome } from '@tollgate/contracts';
import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

import { bigintColumn, oneOf } from '../../db/columns';
import { RECORD_MODES, type RecordMode } from './usage-record.entity';

/**
 * What only a request to an MCP server has, one row for each such usage record and with its id.
 * Written, partitioned and removed together with it, and never updated: late usage and corrections are
 * adjustments of the usage record. The partial indexes serve filters on rare values. The index of names
 * is of their first 100 characters, which a decorator cannot express.
 */
@Entity('mcp_usage_record')
@Index(['organisationId', 'calledAt', 'id'])
@Index(['teamId', 'calledAt', 'id'], { where: 'team_id IS NOT NULL' })
@Index(['userId', 'calledAt', 'id'], { where: 'user_id IS NOT NULL' })
@Index(['apiKeyId', 'calledAt', 'id'])
@Index(['mcpServerId', 'calledAt', 'id'])
@Index('mcp_usage_record_method_idx', ['organisationId', 'method', 'calledAt', 'id'])
@Index('mcp_usage_record_name_idx', { synchronize: false })
@Index('mcp_usage_record_outcome_idx', ['organisationId', 'outcome', 'calledAt', 'id'], {
  where: `outcome <> 'COMPLETED'`,
})
@Index('mcp_usage_record_is_error_idx', ['organisationId', 'calledAt', 'id'], { where: 'is_error' })
@Check('mcp_usage_record_mode_check', oneOf('mode', RECORD_MODES))
@Check('mcp_usage_record_outcome_check', oneOf('outcome', OUTCOMES))
export class McpUsageRecord {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('uuid', { nullable: true })
  teamId!: string | null;

  @Column('uuid', { nullable: true })
  userId!: string | null;

  @Column('uuid')
  apiKeyId!: string;

  @Column('uuid')
  mcpServerId!: string;

  /** The server's identifier when it was called: the server may be deleted by now. */
  @Column('text')
  mcpServer!: string;

  /** JSON-RPC method. */
  @Column('text')
  method!: string;

  /** Tool, prompt or URI of the resource. */
  @Column('text', { nullable: true })
  name!: string | null;

  @Column('text')
  mode!: RecordMode;

  /** Unknown for an abandoned request. */
  @Column('text', { nullable: true })
  outcome!: Outcome | null;

  @Column('integer')
  httpStatus!: number;

  @Column('text', { nullable: true })
  errorCode!: string | null;

  @Column('integer', { nullable: true })
  jsonRpcErrorCode!: number | null;

  /** The tool's result has `isError`: such a call is answered with 200. */
  @Column('boolean')
  isError!: boolean;

  @Column('text', { nullable: true })
  protocolVersion!: string | null;

  @Column('text', { nullable: true })
  resultType!: string | null;

  @Column('integer')
  latencyMs!: number;

  /** Until the first byte of the server's answer. */
  @Column('integer', { nullable: true })
  firstByteMs!: number | null;

  @Column(bigintColumn)
  requestBytes!: bigint;

  @Column(bigintColumn)
  responseBytes!: bigint;

  /** As first booked; adjustments of the usage record come on top. */
  @Column(bigintColumn)
  costNanoUsd!: bigint;

  @Column('text', { nullable: true })
  clientRequestId!: string | null;

  @Column('text', { nullable: true })
  traceId!: string | null;

  @Column('bytea', { nullable: true })
  sessionSha256!: Buffer | null;

  /** The authorise instant of the usage record. */
  @Column('timestamptz')
  calledAt!: Date;
}
