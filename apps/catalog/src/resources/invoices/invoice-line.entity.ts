import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { bigintColumn } from '../../db/columns';
import { Invoice } from './invoice.entity';

@Entity('invoice_line')
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

  @Column('uuid', { nullable: true })
  modelId!: string | null;

  @Column('text')
  description!: string;

  @Column(bigintColumn)
  requests!: bigint;

  @Column(bigintColumn)
  tokensIn!: bigint;

  @Column(bigintColumn)
  tokensOut!: bigint;

  /** May be negative: a credit. */
  @Column(bigintColumn)
  amountNanoUsd!: bigint;
}
