from report import render


def test_report_asks_for_all_orders():
    assert render("orders") == "SELECT order_id FROM orders"


def test_report_by_status():
    assert render("orders", status="open") == "SELECT order_id FROM orders WHERE status = 'open' ORDER BY order_id"
