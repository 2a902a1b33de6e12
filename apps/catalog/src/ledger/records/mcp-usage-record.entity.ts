import { OUTCOMES, type Outcome } from '@tollgate/contracts';
import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';

import { bigintColumn, oneOf } from '../../db/columns';

/** One call to a tool server through the gateway. */
@Entity('mcp_usage_record')
@Index(['organisationId', 'calledAt', 'id'])
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

  @Column('text')
  method!: string;

  @Column('text', { nullable: true })
  tool!: string | null;

  @Column('text')
  outcome!: Outcome;

  @Column('integer')
  httpStatus!: number;

  @Column('text', { nullable: true })
  errorCode!: string | null;

  @Column('integer')
  latencyMs!: number;

  @Column({ ...bigintColumn, default: 0 })
  requestBytes!: bigint;

  @Column({ ...bigintColumn, default: 0 })
  responseBytes!: bigint;

  @Column('timestamptz')
  calledAt!: Date;
}
