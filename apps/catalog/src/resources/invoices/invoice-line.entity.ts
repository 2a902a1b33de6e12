import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';

import { bigintColumn, oneOf } from '../../db/columns';
import { Invoice } from './invoice.entity';

export const LINE_KINDS = ['USAGE', 'ADJUSTMENT'] as const;
export type LineKind = (typeof LINE_KINDS)[number];

/**
 * The cost of one model or MCP server through one key, in the invoice's month or as a difference to an earlier
 * month.
 */
@Entity('invoice_line')
@Check('invoice_line_kind_check', oneOf('kind', LINE_KINDS))
@Index(['invoiceId'])
@ForeignKey(() => Invoice, ['organisationId', 'invoiceId'], ['organisationId', 'id'], {
  onDelete: 'CASCADE',
})
export class InvoiceLine {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('uuid')
  invoiceId!: string;

  /** USAGE: of the invoice's month. ADJUSTMENT: of an earlier month, booked after its invoice. */
  @Column('text', { default: 'USAGE' })
  kind!: LineKind;

  /** The first day of the month of the usage. */
  @Column('date')
  month!: string;

  @Column('uuid', { nullable: true })
  teamId!: string | null;

  @Column('uuid', { nullable: true })
  apiKeyId!: string | null;

  @Column('uuid', { nullable: true })
  modelId!: string | null;

  @Column('uuid', { nullable: true })
  mcpServerId!: string | null;

  /** Names as they were when the line was computed; null: of an earlier release, or without one. */
  @Column('text', { nullable: true })
  teamName!: string | null;

  @Column('text', { nullable: true })
  apiKeyName!: string | null;

  @Column('text', { nullable: true })
  modelName!: string | null;

  @Column('text', { nullable: true })
  mcpServerName!: string | null;

  @Column('text')
  description!: string;

  @Column(bigintColumn)
  requests!: bigint;

  @Column(bigintColumn)
  tokensIn!: bigint;

  @Column(bigintColumn)
  tokensOut!: bigint;

  /** Negative for a credit. */
  @Column(bigintColumn)
  amountNanoUsd!: bigint;
}
