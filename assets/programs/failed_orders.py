"""Whose orders fail most, where do they fail most closely together, and did the shop's pages err for them, too?"""

FAILED = 'How many orders have status failed and user {}?'


def closest(pieces):
    """The one of these pieces that holds most of what FAILED counts: halves, and halves of halves."""
    if len(pieces) == 1:
        return pieces[0]
    half = len(pieces) // 2
    first, second = pieces[:half], pieces[half:]
    # Every piece was asked this before: its answer is there already, and costs nothing again.
    in_first, in_second = ask_all([(FAILED.format(user), first), (FAILED.format(user), second)])
    return closest(first if in_first >= in_second else second)


orders = [piece for piece in fragments if piece.file.endswith('orders.log')]
shop = [piece for piece in fragments if piece.file.endswith('shop.log')]

user = ask('Which user has the most failed orders?', orders)
print('most failed orders:', user)

# What is asked next depends on that answer, and is asked of every piece by itself.
counts = ask_each(FAILED.format(user), orders)
failing = [piece for piece, count in zip(orders, counts) if count > 0]
print(sum(counts), 'failed orders of', user, 'in', len(failing), 'of', len(orders), 'pieces')

where = closest(failing)
errors = ask(f'How many lines have level ERROR and user {user}?', shop)

answer = (
    f'{user}: {sum(counts)} failed orders, most of them in lines {where.first} to {where.last} of orders.log; '
    f'the shop logged {errors} errors for them.'
)
